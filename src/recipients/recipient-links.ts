import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings';
import { Secret } from '../database/secret';
import { publicAddress } from '../mail/addresses';
import { positiveInteger } from '../validation/parsers';
import type { Topic } from './recipient';
import { addressOf } from './recipients-field';

/** An address to which alerts or reports of a website are sent. */
export interface Subscription {
  topic: Topic;
  websiteId: number;
  address: string;
}

const MAX_TOKEN_LENGTH = 500;

/** Links in mails, by which an address confirms and stops the alerts or reports of one website, without a key. */
@Injectable()
export class RecipientLinks {
  private readonly keys: Record<Topic, Buffer>;
  private readonly base: string;

  constructor(secret: Secret, settings: Settings) {
    const keyOf = (topic: Topic) => secret.key(`recipients of ${topic}`);
    this.keys = { alerts: keyOf('alerts'), reports: keyOf('reports') };
    this.base = publicAddress(settings);
  }

  toConfirm(subscription: Subscription): string {
    return `${this.base}/${subscription.topic}/confirm/${this.tokenOf(subscription)}`;
  }

  toUnsubscribe(subscription: Subscription): string {
    return `${this.base}/${subscription.topic}/unsubscribe/${this.tokenOf(subscription)}`;
  }

  /** The meaning of a link's last part. Undefined if this installation did not sign it for the topic. */
  read(topic: Topic, token: string): Subscription | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const [id = '', encoded = '', signature = '', ...rest] = token.split('.');
    const websiteId = positiveInteger(id);
    const address = addressOf(Buffer.from(encoded, 'base64url').toString());
    if (websiteId === undefined || address === undefined || rest.length > 0) return undefined;
    const subscription = { topic, websiteId, address };
    const [own, sent] = [this.signatureOf(subscription), Buffer.from(signature, 'base64url')];
    return own.length === sent.length && timingSafeEqual(own, sent) ? subscription : undefined;
  }

  /** The paths of one token differ, and mean different things. */
  private tokenOf(subscription: Subscription): string {
    const { websiteId, address } = subscription;
    const signature = this.signatureOf(subscription).toString('base64url');
    return `${websiteId}.${Buffer.from(address).toString('base64url')}.${signature}`;
  }

  private signatureOf({ topic, websiteId, address }: Subscription): Buffer {
    return createHmac('sha256', this.keys[topic]).update(`${websiteId} ${address}`).digest();
  }
}
