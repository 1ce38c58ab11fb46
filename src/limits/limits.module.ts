import { Global, Module } from '@nestjs/common';
import { Limits } from './limits';
import { SharedCounts } from './shared-counts';

@Global()
@Module({ providers: [Limits, SharedCounts], exports: [Limits] })
export class LimitsModule {}
