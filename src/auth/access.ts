import { applyDecorators, createParamDecorator, type ExecutionContext, UseGuards } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiProblems } from '../common/openapi';
import type { ApiKey, Scope } from './api-key.entity';
import { BearerGuard, RequiredScope } from './bearer.guard';

/** A route for callers with a key of this scope or a wider one. */
export function Access(scope: Scope): MethodDecorator {
  return applyDecorators(
    RequiredScope(scope),
    UseGuards(BearerGuard),
    ApiBearerAuth(),
    ApiProblems(scope === 'full' ? [401, 403] : [401]),
  );
}

/** The id of the user whose key came with the request. */
export const CallerId = createParamDecorator((_: unknown, context: ExecutionContext): number => {
  const { user } = context.switchToHttp().getRequest<Request>();
  return (user as ApiKey).userId;
});
