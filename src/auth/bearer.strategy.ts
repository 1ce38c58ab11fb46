import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import { ClientAddress } from '../http/requests/client-address';
import { pathOf } from '../http/requests/requests';
import type { ApiKey } from './api-key.entity';
import { allow, budgetOf } from './budgets';
import { Identification } from './identification';

/** The library would take a key from the query and the body too. */
interface HeadersOnly {
  headers: Request['headers'];
  request: Request;
}

/** Looks up the key in the `Authorization` header. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(
    private readonly identification: Identification,
    private readonly addresses: ClientAddress,
  ) {
    super({ passReqToCallback: true });
  }

  override authenticate(request: Request): void {
    super.authenticate({ headers: request.headers, request } satisfies HeadersOnly as never);
  }

  /** Throws if the request exceeds a budget. */
  async validate({ request }: HeadersOnly, secret: string): Promise<ApiKey | null> {
    const address = this.addresses.of(request);
    const { key, rateLimit } = await this.identification.identify(secret, address, budgetOf(pathOf(request)));
    allow(request.res!, rateLimit);
    return key;
  }
}
