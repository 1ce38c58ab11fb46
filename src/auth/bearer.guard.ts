import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Unauthorized } from '../common/problem';
import type { Scope } from './api-key.entity';
import { keyOf } from './caller';
import { checkRights } from './rights';

export const RequiredScope = Reflector.createDecorator<Scope>();

const KEEPS_TO_WEBSITES = Symbol('shows a limited key nothing but its websites');

/** Opens a method of a controller to keys that are limited to websites. */
export function keepsToWebsites(target: object, method: string | symbol): void {
  Reflect.defineMetadata(KEEPS_TO_WEBSITES, true, (target as Record<string | symbol, object>)[method]!);
}

/** Requires the key that Passport found before the body was read, and its rights. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const key = keyOf(context.switchToHttp().getRequest<Request>());
    if (!key) throw new Unauthorized();
    const handler = context.getHandler();
    const keeps = Reflect.hasMetadata(KEEPS_TO_WEBSITES, handler);
    checkRights(key, this.reflector.get(RequiredScope, handler), keeps);
    return true;
  }
}
