import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import type { ApiKey } from './api-key.entity';
import { keyOf } from './caller';

/** What the library is shown of a request: it would take a key from the query and the body too. */
interface Shown {
  headers: Request['headers'];
  key: ApiKey | undefined;
}

/** The key of a request is looked up once, by `Admission`, before the body is read. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor() {
    super({ passReqToCallback: true });
  }

  override authenticate(request: Request): void {
    const shown: Shown = { headers: request.headers, key: keyOf(request) };
    super.authenticate(shown as never);
  }

  validate({ key }: Shown): ApiKey | null {
    return key ?? null;
  }
}
