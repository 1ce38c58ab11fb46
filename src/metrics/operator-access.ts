import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { allow } from '../auth/admission';
import { normaliseAddress } from '../common/address';
import { NotFound } from '../common/problems';
import { Settings } from '../config/settings';
import { Problem } from '../../engine/ground/errors';
import { ClientAddress } from '../http/requests/client-address';
import { Limits } from '../limits/limits';

const BEARER = /^Bearer ([^ ]+)$/i;
/** Whoever sends one of these stands between the service and somebody else. */
const FORWARDING = /^(forwarded|via|x-forwarded-.*|x-real-ip|.*client-?ip|.*connecting-ip|origin)$/;
/** A host of the header `Host`, and its port. */
const HOST = /^(\[[^\]]*\]|[^:[\]]*)(:\d*)?$/;

class TokenRequired extends Problem {
  constructor() {
    super('unauthorized', 'The token METRICS_TOKEN is required in the header "Authorization: Bearer …".');
  }
}

/**
 * Lets the operator of the service read what it measures: whoever has the token, or, where there is none and no proxy,
 * whoever is on this machine.
 */
@Injectable()
export class OperatorAccess {
  private readonly token: Buffer | undefined;
  private readonly isOnlyLocal: boolean;
  /** A token that was right once is right also while others guess from its address. */
  private wasUsed = false;

  constructor(
    { metricsToken, baseUrl, trustProxy, host }: Settings,
    private readonly limits: Limits,
    private readonly addresses: ClientAddress,
  ) {
    this.token = metricsToken === undefined ? undefined : digestOf(metricsToken);
    const isDirect = baseUrl === undefined && trustProxy === undefined;
    this.isOnlyLocal = isDirect && isLoopback(host);
  }

  /** Throws unless the caller may read. */
  async check(request: Request, response: Response): Promise<void> {
    if (this.token) await this.checkToken(this.token, request, response);
    else if (!this.isOnlyLocal || !isFromHere(request)) throw new NotFound('Route');
  }

  private async checkToken(token: Buffer, request: Request, response: Response): Promise<void> {
    const authorization = request.get('Authorization');
    if (authorization === undefined) throw new TokenRequired();
    const sent = BEARER.exec(authorization)?.[1];
    const isRight = sent !== undefined && timingSafeEqual(digestOf(sent), token);
    if (isRight && this.wasUsed) return;
    const look = () => Promise.resolve(isRight ? true : null);
    const { key, rateLimit } = await this.limits.tryKey(this.addresses.of(request), look);
    allow(response, rateLimit);
    if (!key) throw new TokenRequired();
    this.wasUsed = true;
  }
}

/** Of one length, whatever was sent. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A page of another website can make a browser of this machine ask, and a name of its own can lead here. */
function isFromHere({ socket, headers }: Request): boolean {
  const host = HOST.exec(headers.host ?? '')?.[1] ?? '';
  const isForwarded = Object.keys(headers).some((name) => FORWARDING.test(name));
  return !isForwarded && isLoopback(host) && isLoopback(socket.remoteAddress ?? '');
}

function isLoopback(name: string): boolean {
  if (name.toLowerCase() === 'localhost') return true;
  const address = normaliseAddress(name.replace(/^\[(.*)\]$/, '$1'));
  return address === '::1' || (address !== null && isIPv4(address) && address.startsWith('127.'));
}
