import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secret } from '../database/secret';
import type { Webhook } from './webhook.entity';

/** The secrets that deliveries are signed with. They follow from the secret of the installation and are not stored. */
@Injectable()
export class WebhookSecrets {
  private readonly key: Buffer;

  constructor(secret: Secret) {
    this.key = secret.key('webhook secrets');
  }

  of({ id, generation, standardFrom }: Pick<Webhook, 'id' | 'generation' | 'standardFrom'>): string {
    const form = generation < standardFrom ? 'base64url' : 'base64';
    return `whsec_${createHmac('sha256', this.key).update(`${id} ${generation}`).digest(form)}`;
  }
}
