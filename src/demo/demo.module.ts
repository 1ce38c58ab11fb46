import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/annotations.module';
import { CountingModule } from '../counting/counting.module';
import { GoalsModule } from '../goals/goals.module';
import { IntakeModule } from '../intake/intake.module';
import { WebsitesModule } from '../websites/websites.module';
import { DemoService } from './demo.service';

@Module({
  imports: [AnnotationsModule, CountingModule, GoalsModule, IntakeModule, WebsitesModule],
  providers: [DemoService],
})
export class DemoModule {}
