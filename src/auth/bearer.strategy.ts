import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import type { StrategyCreatedStatic } from 'passport';
import { Strategy } from 'passport-http-bearer';
import { keyOf } from './bearer.guard';

/**
 * Accepts the key that `Admission` or the console's gate found before the body was read. It has no service that could
 * look up another: Passport keeps strategies for all applications of a process.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  /** The library would also accept a key from the query or the body. */
  override authenticate(this: this & StrategyCreatedStatic, request: Request): void {
    const key = keyOf(request);
    if (key) this.success(key);
    else super.authenticate({ headers: request.headers } as Request);
  }

  /** The key in the header was looked up before, and is unknown. */
  validate(): null {
    return null;
  }
}
