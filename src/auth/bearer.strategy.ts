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

const KNOWN = { authorization: 'Bearer known' };

/** The key of a request is looked up once, by `Admission`, before the body is read. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor() {
    super({ passReqToCallback: true });
  }

  override authenticate(request: Request): void {
    // A session of the console stands for a key that is not in the header.
    const key = keyOf(request);
    const shown: Shown = { headers: key ? KNOWN : request.headers, key };
    super.authenticate(shown as never);
  }

  validate({ key }: Shown): ApiKey | null {
    return key ?? null;
  }
}
