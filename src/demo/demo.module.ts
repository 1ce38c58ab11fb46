import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/annotations.module';
import { CountingModule } from '../counting/counting.module';
import { GoalsModule } from '../goals/goals.module';
import { IntakeModule } from '../intake/intake.module';
import { WebsitesModule } from '../websites/websites.module';
import { DemoRun } from './demo-run';
import { DemoWebsite } from './demo-website';
import { DemoController } from './demo.controller';
import { DemoService } from './demo.service';

@Module({
  imports: [AnnotationsModule, CountingModule, GoalsModule, IntakeModule, WebsitesModule],
  controllers: [DemoController],
  providers: [DemoRun, DemoService, DemoWebsite],
})
export class DemoModule {}
