import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type JobKind, Jobs, type Turn } from '../../../engine/database/jobs';
import { LeaseLost } from '../../../engine/database/lease';
import { ClaimsRepository } from './claims.repository';
import { WebhookDeliverer } from './deliverer';
import { CLAIM_MS, LeftoversRepository } from './leftovers.repository';
import { SendingSlots } from './sending-slots';

/** Claims of ended processes, and what has to end or to go, are looked at less often. */
const LOOKS_EVERY_MS = 15_000;

/** Sends due deliveries, several at once. The state of each is a row, so any process can continue. */
@Injectable()
export class WebhookSending implements JobKind {
  readonly name = 'deliveries';
  readonly part = 'Webhooks';
  readonly areRows = true;
  readonly everyMs = 1000;
  readonly lease = { name: 'webhooks', lengthMs: 30_000 };
  private readonly logger = new Logger('Webhooks');
  private readonly owner = randomUUID();
  private readonly slots = new SendingSlots();
  /** The number of attempts that were under way. */
  private ended = 0;
  private lookedAt = -Infinity;
  /** Tells whether a claim failed: nobody knows if it was committed. */
  private isUnsure = false;

  constructor(
    jobs: Jobs,
    private readonly claims: ClaimsRepository,
    private readonly leftovers: LeftoversRepository,
    private readonly deliverer: WebhookDeliverer,
  ) {
    jobs.register(this);
  }

  async isAnyDue(now: number): Promise<boolean> {
    if (this.isUnsure || (await this.claims.isAnyDue(now))) return true;
    if (!this.isTimeToLook()) return false;
    this.lookedAt = performance.now();
    return this.leftovers.areThere(now);
  }

  /** Until nothing is due and no attempt is under way. */
  async work(turn: Turn): Promise<void> {
    const underWay = new Set<Promise<void>>();
    this.lookedAt = -Infinity;
    try {
      while (await turn.goesOn()) {
        if (this.isTimeToLook()) this.lookedAt = (await this.look(turn)) ? -Infinity : performance.now();
        const { ended } = this;
        if (this.isUnsure || (await this.claims.isAnyDue(turn.now()))) await this.fill(turn, underWay);
        if (underWay.size > 0)
          await Promise.race([...underWay, sleep(this.everyMs, undefined, { ref: false })]);
        // One that ended meanwhile may have kept its webhook from the next.
        else if (this.ended === ended && !this.isTimeToLook()) return;
      }
    } finally {
      await Promise.all(underWay);
    }
  }

  waiting(): string {
    return `SELECT website_id, due_at, attempts AS tries, last_error AS reason FROM webhook_deliveries
      WHERE state IN ('waiting', 'sending')`;
  }

  private isTimeToLook(): boolean {
    return performance.now() >= this.lookedAt + LOOKS_EVERY_MS;
  }

  /** Tells whether there may be more to do at the next look. */
  private async look({ lease, now }: Turn): Promise<boolean> {
    const { leftovers } = this;
    const { repeated, failed } = await leftovers.endClaims(now());
    if (repeated > 0) this.logger.warn(`${repeated} deliveries of a process that ended are sent again`);
    if (failed > 0) this.logger.warn(`${failed} deliveries of a process that ended have failed`);
    const isMoreAhead = await leftovers.moveBack(now());
    const isMoreOfWebsites = await leftovers.endOfDeletedWebsites(now());
    const isMoreExpired = await leftovers.endExpired(now());
    const isMoreRemoved = await leftovers.removeSomeDeleted(lease);
    return isMoreAhead || isMoreOfWebsites || isMoreExpired || isMoreRemoved;
  }

  /** Claims deliveries until all slots are taken. Attempts go on in the background. */
  private async fill({ lease, signal, now }: Turn, underWay: Set<Promise<void>>): Promise<void> {
    const { owner } = this;
    if (this.isUnsure) await this.claims.putBackUnknown(lease, owner, this.slots.deliveryIds(), now());
    this.isUnsure = false;
    while (!this.slots.isFull && !signal.aborted) {
      const endsAt = now() + CLAIM_MS;
      const claim = await this.claims
        .claim(lease, owner, this.slots.busy(), now(), endsAt)
        .catch((error: unknown) => {
          this.isUnsure ||= !(error instanceof LeaseLost);
          throw error;
        });
      if (!claim) return;
      this.slots.take(claim);
      const delivering = this.deliverer.deliver(claim, { owner, signal, now }, endsAt).finally(() => {
        this.slots.leave(claim);
        underWay.delete(delivering);
        this.ended++;
      });
      underWay.add(delivering);
    }
  }
}
