import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../../auth/api-key.entity';
import { ApiKeysService } from '../../auth/api-keys.service';
import { DAY_MS } from '../../../engine/ground/time/days';
import { patience } from '../../../engine/ground/time/patience';
import { Secret } from '../../database/secret';
import { positiveInteger } from '../../validation/parsers';
import { cookieIn } from '../../http/requests/requests';
import { Database } from '../../../engine/database/database';

/** The sessions that were signed out, until they would have expired. */
@Injectable()
export class EndedSessions {
  constructor(private readonly database: Database) {}

  async has(id: Buffer): Promise<boolean> {
    const rows = await this.database.readQuick((manager) =>
      manager.query<unknown[]>('SELECT 1 FROM ended_sessions WHERE session = ?', [id]),
    );
    return rows.length > 0;
  }

  async add(id: Buffer, endsAt: number): Promise<void> {
    const { insertIfMissing } = this.database.dialect;
    await this.database.write(async (manager) => {
      await manager.query(`${insertIfMissing} ended_sessions (session, ends_at) VALUES (?, ?)`, [id, endsAt]);
    }, patience.lookUpMs);
  }
}

const SESSION_COOKIE = 'milepost_session';
export const SESSION_MS = 7 * DAY_MS;
const ID_BYTES = 16;

interface Session {
  id: Buffer;
  keyId: number;
  endsAt: number;
}

/** The browser's session of a key. It is valid until signing out, as long as the key is, and for at most a week. */
@Injectable()
export class ConsoleSessions {
  private readonly key: Buffer;
  private readonly tokenKey: Buffer;

  constructor(
    private readonly keys: ApiKeysService,
    private readonly ended: EndedSessions,
    secret: Secret,
  ) {
    this.key = secret.key('console sessions');
    this.tokenKey = secret.key('console requests');
  }

  valueFor(keyId: number, now = Date.now()): string {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const signed = `${keyId}.${now + SESSION_MS}.${id}`;
    return `${signed}.${signatureOf(this.key, signed)}`;
  }

  /** The key of a session, if it is valid now. */
  async keyIn(cookies: string | undefined): Promise<ApiKey | undefined> {
    const session = this.sessionIn(cookies);
    if (!session || (await this.ended.has(session.id))) return undefined;
    return (await this.keys.findUsable(session.keyId)) ?? undefined;
  }

  /** Ends a session, and every copy of its cookie. */
  async end(cookies: string | undefined): Promise<void> {
    const session = this.sessionIn(cookies);
    if (session) await this.ended.add(session.id, session.endsAt);
  }

  /** A page must send it with a change. Pages of other origins cannot read it. */
  tokenFor(cookies: string | undefined): string {
    return signatureOf(this.tokenKey, cookieIn(cookies, SESSION_COOKIE) ?? '');
  }

  isTokenOf(cookies: string | undefined, sent: string | undefined): boolean {
    return isSame(this.tokenFor(cookies), sent ?? '');
  }

  private sessionIn(cookies: string | undefined): Session | undefined {
    const [keyId = '', endsAt = '', id = '', signature = '', ...rest] =
      cookieIn(cookies, SESSION_COOKIE)?.split('.') ?? [];
    const isOwn = isSame(signatureOf(this.key, `${keyId}.${endsAt}.${id}`), signature);
    if (rest.length > 0 || !isOwn || Number(endsAt) <= Date.now()) return undefined;
    return { id: Buffer.from(id, 'base64url'), keyId: positiveInteger(keyId)!, endsAt: Number(endsAt) };
  }
}

/**
 * The header that sets or removes the cookie. Its path covers the whole service, because owners also see the shared pages
 * of their private websites.
 */
export function sessionCookie(
  session: string | undefined,
  baseUrl: string | undefined,
  isSecure: boolean,
): string {
  const path = baseUrl === undefined ? '/' : new URL(`${baseUrl}/`).pathname;
  const maxAge = session === undefined ? 0 : SESSION_MS / 1000;
  const secure = isSecure || baseUrl?.startsWith('https:') ? '; Secure' : '';
  return `${SESSION_COOKIE}=${session ?? ''}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

function signatureOf(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function isSame(own: string, sent: string): boolean {
  const [a, b] = [Buffer.from(own), Buffer.from(sent)];
  return a.length === b.length && timingSafeEqual(a, b);
}
