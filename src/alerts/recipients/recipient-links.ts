import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { Secret } from '../../database/secret';
import { publicAddress } from '../../mail/addresses';
import { positiveInteger } from '../../validation/parsers';
import { addressOf } from '../alert/alert-fields';

export const ALERTS_PATH = 'alerts';

/** An address to which alerts of a website are sent. */
export interface Subscription {
  websiteId: number;
  address: string;
}

const MAX_TOKEN_LENGTH = 500;

/** Links in mails, by which an address confirms and stops the alerts of one website, without a key. */
@Injectable()
export class RecipientLinks {
  private readonly key: Buffer;
  private readonly base: string;

  constructor(secret: Secret, settings: Settings) {
    this.key = secret.key('recipients of alerts');
    this.base = publicAddress(settings);
  }

  toConfirm(subscription: Subscription): string {
    return `${this.base}/${ALERTS_PATH}/confirm/${this.tokenOf(subscription)}`;
  }

  toUnsubscribe(subscription: Subscription): string {
    return `${this.base}/${ALERTS_PATH}/unsubscribe/${this.tokenOf(subscription)}`;
  }

  /** The meaning of a link's last part. Undefined if this installation did not sign it. */
  read(token: string): Subscription | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const [id = '', encoded = '', signature = '', ...rest] = token.split('.');
    const websiteId = positiveInteger(id);
    const address = addressOf(Buffer.from(encoded, 'base64url').toString());
    if (websiteId === undefined || address === undefined || rest.length > 0) return undefined;
    const [own, sent] = [this.signatureOf({ websiteId, address }), Buffer.from(signature, 'base64url')];
    return own.length === sent.length && timingSafeEqual(own, sent) ? { websiteId, address } : undefined;
  }

  /** The paths of one token differ, and mean different things. */
  private tokenOf(subscription: Subscription): string {
    const { websiteId, address } = subscription;
    const signature = this.signatureOf(subscription).toString('base64url');
    return `${websiteId}.${Buffer.from(address).toString('base64url')}.${signature}`;
  }

  private signatureOf({ websiteId, address }: Subscription): Buffer {
    return createHmac('sha256', this.key).update(`${websiteId} ${address}`).digest();
  }
}
