import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { ScopeTooNarrow, Unauthorized } from '../common/problem';
import type { ApiKey, Scope } from './api-key.entity';

export const RequiredScope = Reflector.createDecorator<Scope>();

@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const { scope } = context.switchToHttp().getRequest<Request>().user as ApiKey;
    if (scope !== 'full' && this.reflector.get(RequiredScope, context.getHandler()) !== scope)
      throw new ScopeTooNarrow();
    return true;
  }

  override handleRequest<Key>(error: unknown, key: Key | false | null): Key {
    if (error) throw error as Error;
    if (!key) throw new Unauthorized();
    return key;
  }
}
