import { Global, Module } from '@nestjs/common';
import { DayCounts } from './day-counts';
import { Limits } from './limits';
import { SharedCounts } from './shared-counts';

@Global()
@Module({ providers: [DayCounts, Limits, SharedCounts], exports: [DayCounts, Limits] })
export class LimitsModule {}
