import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Caller } from '../../engine/ground/gate';
import { letTakeLonger } from '../http/connections/answer-in-time';
import { signalOf } from '../http/requests/requests';
import { ApiProblems } from '../http/openapi/openapi-problems';
import type { ApiKey, Scope } from './api-key.entity';
import { Reflector } from '@nestjs/core';
import { ScopeTooNarrow } from '../common/problems';
import { Problem } from '../../engine/ground/errors';

export class Unauthorized extends Problem {
  constructor(place = 'the header "Authorization: Bearer …"') {
    super('unauthorized', `A valid API key is required in ${place}.`);
  }
}

/** Throws if the key's scope is too narrow, or if the key is limited to websites and the route may concern others. */
export function checkRights(key: ApiKey, scope: Scope, keepsToWebsites: boolean): void {
  if (key.scope !== 'full' && key.scope !== scope)
    throw new ScopeTooNarrow(`The scope of this API key is "${key.scope}", which does not allow this.`);
  if (key.websites && !keepsToWebsites)
    throw new ScopeTooNarrow('This API key is limited to some websites, which does not allow this.');
}

/** The caller's key. Undefined if there is none. */
export function keyOf(request: Request): ApiKey | undefined {
  return request.user as ApiKey | undefined;
}

const RequiredScope = Reflector.createDecorator<Scope>();

const KEEPS_TO_WEBSITES = Symbol('shows a limited key only its websites');

/** Opens a controller method to keys that are limited to websites. */
export function keepsToWebsites(target: object, method: string | symbol): void {
  defineKeeps(true, target, method);
}

function defineKeeps(keeps: boolean, target: object, method: string | symbol): void {
  Reflect.defineMetadata(KEEPS_TO_WEBSITES, keeps, (target as Record<string | symbol, object>)[method]!);
}

/** Requires a key, by Passport. */
@Injectable()
class BearerGuard extends AuthGuard('bearer') {
  override handleRequest<Key>(error: Error | null, key: Key | false): Key {
    if (error) throw error;
    if (!key) throw new Unauthorized();
    return key;
  }
}

/** Checks the rights of the key. */
@Injectable()
class RightsGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const keeps = Reflect.getMetadata(KEEPS_TO_WEBSITES, handler) as boolean | undefined;
    const key = keyOf(context.switchToHttp().getRequest<Request>())!;
    checkRights(key, this.reflector.get(RequiredScope, handler), keeps ?? false);
    return true;
  }
}

/** A route for callers whose key has this scope or a wider one. */
export function Access(scope: Scope): MethodDecorator {
  return applyDecorators(
    RequiredScope(scope),
    UseGuards(BearerGuard, RightsGuard),
    ApiBearerAuth(),
    ApiProblems([401, 403, 429]),
  );
}

/** A route that shows a limited key only its own websites. */
export const KeepsToWebsites = (): MethodDecorator => (target, method) => keepsToWebsites(target, method);

/** A route that a limited key may not use, even for a website of its own. */
export const NotForLimitedKeys = (): MethodDecorator => (target, method) =>
  defineKeeps(false, target, method);

export const CallerKey = createParamDecorator((_: unknown, context: ExecutionContext): ApiKey =>
  keyOf(context.switchToHttp().getRequest<Request>())!,
);

export const CallerId = createParamDecorator((_: unknown, context: ExecutionContext): number => {
  return keyOf(context.switchToHttp().getRequest<Request>())!.userId;
});

/**
 * The caller of a costly route, or of a route that is costly only if the body has this field. The answer may take
 * longer. Work that has not begun when the caller leaves is dropped.
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
