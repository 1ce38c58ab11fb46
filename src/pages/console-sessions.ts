import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../auth/api-key.entity';
import { ApiKeysService } from '../auth/api-keys.service';
import { DAY_MS } from '../common/days';
import { Secret } from '../database/secret';
import { positiveInteger } from '../validation/parsers';
import { cookieIn } from './cookies';

export const SESSION_COOKIE = 'milepost_session';
export const SESSION_MS = 7 * DAY_MS;

/** What the browser has of a key that somebody signed in with. It works as long as the key does, and no longer than a week. */
@Injectable()
export class ConsoleSessions {
  private readonly key: Buffer;
  private readonly tokenKey: Buffer;

  constructor(
    private readonly keys: ApiKeysService,
    secret: Secret,
  ) {
    this.key = secret.key('console sessions');
    this.tokenKey = secret.key('console requests');
  }

  valueFor(keyId: number, now = Date.now()): string {
    const signed = `${keyId}.${now + SESSION_MS}`;
    return `${signed}.${signatureOf(this.key, signed)}`;
  }

  /** The key of a session, if it may be used now. */
  async keyIn(cookies: string | undefined): Promise<ApiKey | undefined> {
    const session = cookieIn(cookies, SESSION_COOKIE);
    const keyId = session === undefined ? undefined : this.keyIdIn(session);
    const key = keyId === undefined ? null : await this.keys.findUsable(keyId);
    return key ?? undefined;
  }

  /** What a page has to send with a change: pages of other origins cannot read it. */
  tokenFor(cookies: string | undefined): string {
    return signatureOf(this.tokenKey, cookieIn(cookies, SESSION_COOKIE) ?? '');
  }

  isTokenOf(cookies: string | undefined, sent: string | undefined): boolean {
    return isSame(this.tokenFor(cookies), sent ?? '');
  }

  private keyIdIn(session: string): number | undefined {
    const [id = '', endsAt = '', signature = '', ...rest] = session.split('.');
    if (rest.length > 0 || !isSame(signatureOf(this.key, `${id}.${endsAt}`), signature)) return undefined;
    return Number(endsAt) > Date.now() ? positiveInteger(id) : undefined;
  }
}

function signatureOf(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function isSame(own: string, sent: string): boolean {
  const [a, b] = [Buffer.from(own), Buffer.from(sent)];
  return a.length === b.length && timingSafeEqual(a, b);
}
