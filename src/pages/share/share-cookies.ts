import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../../engine/ground/time/days';
import { Secret } from '../../database/secret';
import type { Website } from '../../websites/website.entity';
import { cookieIn } from '../../http/requests/requests';

/** The time for which a password is not needed again. */
export const SHARE_COOKIE_MS = 30 * DAY_MS;

type Guarded = Pick<Website, 'id' | 'accessVersion'>;

/** Cookies that prove a website's password. A change of the password or of the website's privacy makes them invalid. */
@Injectable()
export class ShareCookies {
  private readonly key: Buffer;

  constructor(secret: Secret) {
    this.key = secret.key('share cookies');
  }

  nameFor({ id }: Pick<Website, 'id'>): string {
    return `milepost_share_${id}`;
  }

  valueFor(website: Guarded, now = Date.now()): string {
    const endsAt = String(now + SHARE_COOKIE_MS);
    return `${endsAt}.${this.signatureOf(website, endsAt).toString('base64url')}`;
  }

  /** Tells whether the header `Cookie` has a valid one for the website. */
  isIn(header: string | undefined, website: Guarded): boolean {
    const value = cookieIn(header, this.nameFor(website));
    return value !== undefined && this.isValid(value, website);
  }

  private isValid(value: string, website: Guarded): boolean {
    const [endsAt = '', signature = '', ...rest] = value.split('.');
    if (rest.length > 0 || !/^\d{1,15}$/.test(endsAt) || Number(endsAt) < Date.now()) return false;
    const [own, sent] = [this.signatureOf(website, endsAt), Buffer.from(signature, 'base64url')];
    return own.length === sent.length && timingSafeEqual(own, sent);
  }

  private signatureOf({ id, accessVersion }: Guarded, endsAt: string): Buffer {
    return createHmac('sha256', this.key).update(`${id} ${accessVersion} ${endsAt}`).digest();
  }
}
