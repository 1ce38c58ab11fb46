import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { Unauthorized } from '../common/problem';
import type { ApiKey, Scope } from './api-key.entity';
import { checkRights } from './rights';

export const RequiredScope = Reflector.createDecorator<Scope>();

const KEEPS_TO_WEBSITES = Symbol('shows a limited key nothing but its websites');

/** Opens a method of a controller to keys that are limited to websites. */
export function keepsToWebsites(target: object, method: string | symbol): void {
  Reflect.defineMetadata(KEEPS_TO_WEBSITES, true, (target as Record<string | symbol, object>)[method]!);
}

/** Asks for a key, and for its rights. */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const key = context.switchToHttp().getRequest<Request>().user as ApiKey;
    const handler = context.getHandler();
    const keeps = Reflect.hasMetadata(KEEPS_TO_WEBSITES, handler);
    checkRights(key, this.reflector.get(RequiredScope, handler), keeps);
    return true;
  }

  override handleRequest<Key>(error: unknown, key: Key | false | null): Key {
    if (error) throw error as Error;
    if (!key) throw new Unauthorized();
    return key;
  }
}
