import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/annotations.module';
import { HitsModule } from '../hits/hits.module';
import { GoalsModule } from '../goals/goals.module';
import { IntakeModule } from '../intake/intake.module';
import { WebsitesModule } from '../websites/websites.module';
import { DemoRun } from './demo-run';
import { DemoWebsite } from './demo-website';
import { DemoController } from './demo.controller';
import { DemoService } from './demo.service';

@Module({
  imports: [AnnotationsModule, GoalsModule, HitsModule, IntakeModule, WebsitesModule],
  controllers: [DemoController],
  providers: [DemoRun, DemoService, DemoWebsite],
})
export class DemoModule {}
