import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { version } from '../../../package.json';
import { Durations, Counter } from '../../../engine/ground/measures';
import { Settings } from '../../config/settings';
import { reasonOf } from '../../../engine/database/errors';
import { postedBody } from '../deliveries/delivery-body';
import { WebhookSecrets } from '../webhook-secrets';
import { publicAddress } from '../../mail/addresses';
import { chatPostOf } from './chat-messages';
import { AddressLookup } from './address-lookup';
import { AllowedAddresses } from './allowed-addresses';
import { outcomeOf } from './attempt-outcome';
import { type Claim, ClaimsRepository, type Stored } from './claims.repository';
import { type Posted, Poster } from './post';
import { signatureOf, standardHeaders } from './signature';

const TRIES_AGAIN_AFTER_MS = 1000;

const ATTEMPTS = new Counter(
  'delivery_attempts_total',
  'Attempts at deliveries to webhooks, by what became of the delivery.',
  ['state'],
);
const SECONDS = new Durations('delivery_seconds', 'How long webhooks took to answer.');

/** The process that sends, its end and its clock. */
export interface Sending {
  owner: string;
  signal: AbortSignal;
  now: () => number;
}

/** Posts one delivery that its process has claimed, and stores what came of it. */
@Injectable()
export class WebhookDeliverer {
  private readonly logger = new Logger('Webhooks');
  private readonly poster: Poster;
  private readonly address: string;

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly secrets: WebhookSecrets,
    settings: Settings,
  ) {
    this.poster = new Poster(new AddressLookup(new AllowedAddresses(settings.webhookAllow)));
    this.address = publicAddress(settings);
  }

  /** Does not reject. Until `endsAt`, it tries to store the outcome. */
  async deliver(claim: Claim, sending: Sending, endsAt: number): Promise<void> {
    const { delivery } = claim;
    const { owner, signal, now } = sending;
    const begunAt = now();
    const result = await SECONDS.during(() => this.post(claim, sending)).catch(
      (error: unknown) => error as Error,
    );
    const endedAt = now();
    // What a shutdown broke off counts as no attempt.
    const store =
      result instanceof Error && signal.aborted
        ? () => this.claims.putBack(delivery, owner, now())
        : () => {
            const outcome = outcomeOf({ attempts: delivery.attempts, begunAt, endedAt }, result);
            ATTEMPTS.add(1, outcome.state);
            return this.claims.settle(claim, owner, outcome, now());
          };
    await this.storeBefore(endsAt, sending, store);
  }

  private async post({ delivery, url, format, ...signed }: Claim, { signal, now }: Sending): Promise<Posted> {
    const { id, body: stored } = delivery;
    const body = postedBody(id, stored);
    const agent = { 'User-Agent': `Milepost/${version}` };
    if (format === 'milepost') {
      const headers = { ...agent, ...this.headersOf(delivery, signed, body, now()) };
      return this.poster.post({ url, headers, body }, signal);
    }
    const post = chatPostOf(format, body, this.address);
    const sent = { url, headers: { ...agent, ...post.headers }, body: post.body };
    // Answers of chats may repeat the address, which is a secret.
    return { ...(await this.poster.post(sent, signal)), answer: null };
  }

  private headersOf(
    { id, webhookId, event }: Claim['delivery'],
    { generation, standardFrom }: Pick<Claim, 'generation' | 'standardFrom'>,
    body: string,
    at: number,
  ): Record<string, string> {
    const secret = this.secrets.of({ id: webhookId, generation, standardFrom });
    return {
      'Content-Type': 'application/json',
      'Milepost-Delivery': String(id),
      'Milepost-Event': event,
      'Milepost-Signature': signatureOf(secret, body, at),
      ...standardHeaders(secret, { id: String(id), body }, at),
    };
  }

  /**
   * While the database is away, the outcome waits. After any other error, it is tried again as well: without its outcome,
   * the delivery would hold up its webhook until the end of the claim. Then it is sent again.
   */
  private async storeBefore(
    endsAt: number,
    { signal, now }: Sending,
    store: () => Promise<Stored>,
  ): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        // A try that seemed to fail may have stored it.
        if ((await store()) === 'belongs to another' && isFirst)
          this.logger.warn('the outcome of a delivery was not stored: its claim had ended');
        return;
      } catch (error) {
        if (signal.aborted || now() + TRIES_AGAIN_AFTER_MS >= endsAt)
          return this.logger.warn(`the outcome of a delivery could not be stored: ${reasonOf(error)}`);
      }
      await sleep(TRIES_AGAIN_AFTER_MS);
    }
  }
}
