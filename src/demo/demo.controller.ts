import { Controller, Get, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access, CallerId } from '../auth/bearer.guard';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import { type DemoProgress, DemoRun } from './demo-run';

/** Demo data for an empty console. */
@ApiExcludeController()
@Controller('console/api/demo')
@UseInterceptors(EnvelopeInterceptor)
export class DemoController {
  constructor(private readonly demo: DemoRun) {}

  @Post()
  @HttpCode(202)
  @Access('full')
  start(@CallerId() userId: number): Promise<DemoProgress> {
    return this.demo.start(userId);
  }

  @Get()
  @Access('full')
  show(@CallerId() userId: number): DemoProgress | null {
    return this.demo.progressOf(userId);
  }
}
