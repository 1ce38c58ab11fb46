import { applyDecorators, createParamDecorator, type ExecutionContext, UseGuards } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Caller } from '../common/gate';
import { letTakeLonger } from '../http/connections/answer-in-time';
import { signalOf } from '../http/requests/caller-signal';
import { ApiProblems } from '../http/openapi/openapi-problems';
import type { ApiKey, Scope } from './api-key.entity';
import { BearerGuard, keepsToWebsites, RequiredScope } from './bearer.guard';
import { keyOf } from './caller';

/** A route for callers with a key of this scope or a wider one. */
export function Access(scope: Scope): MethodDecorator {
  return applyDecorators(
    RequiredScope(scope),
    UseGuards(BearerGuard),
    ApiBearerAuth(),
    ApiProblems([401, 403, 429]),
  );
}

/** A route that shows a limited key only its own websites. */
export const KeepsToWebsites = (): MethodDecorator => (target, method) => keepsToWebsites(target, method);

/** The key that came with the request. */
export const CallerKey = createParamDecorator((_: unknown, context: ExecutionContext): ApiKey =>
  keyOf(context.switchToHttp().getRequest<Request>())!,
);

/** The id of the user whose key came with the request. */
export const CallerId = createParamDecorator((_: unknown, context: ExecutionContext): number => {
  return keyOf(context.switchToHttp().getRequest<Request>())!.userId;
});

/**
 * The caller of a route whose work is costly, or is so where the body has this field: its answer may take longer, and
 * work that has not begun when the caller leaves is not done.
 */
export const CostlyCaller = createParamDecorator(
  (field: string | undefined, context: ExecutionContext): Caller => {
    const request = context.switchToHttp().getRequest<Request>();
    const body = request.body as Record<string, unknown> | undefined;
    const response = context.switchToHttp().getResponse<Response>();
    if (field === undefined || body?.[field]) letTakeLonger(response);
    return { owner: keyOf(request)!.userId, signal: signalOf(response) };
  },
);
