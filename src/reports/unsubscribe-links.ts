import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings';
import { Secret } from '../database/secret';
import { publicAddress } from '../mail/addresses';
import { positiveInteger } from '../validation/parsers';

export const UNSUBSCRIBE_PATH = 'unsubscribe';

/** Links that switch off the reports of one website, without a key. */
@Injectable()
export class UnsubscribeLinks {
  private readonly key: Buffer;
  private readonly base: string;

  constructor(secret: Secret, settings: Settings) {
    this.key = secret.key('unsubscribe links');
    this.base = publicAddress(settings);
  }

  of(websiteId: number): string {
    return `${this.base}/${UNSUBSCRIBE_PATH}/${websiteId}.${this.signatureOf(websiteId).toString('base64url')}`;
  }

  /** The website of a link's last part. Undefined if this installation did not sign it. */
  websiteIn(token: string): number | undefined {
    const [id = '', signature = '', ...rest] = token.split('.');
    const websiteId = positiveInteger(id);
    if (websiteId === undefined || rest.length > 0) return undefined;
    const [own, sent] = [this.signatureOf(websiteId), Buffer.from(signature, 'base64url')];
    return own.length === sent.length && timingSafeEqual(own, sent) ? websiteId : undefined;
  }

  private signatureOf(websiteId: number): Buffer {
    return createHmac('sha256', this.key).update(String(websiteId)).digest();
  }
}
