import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Mutex } from '../../../engine/ground/threads/mutex';
import { clockFrom } from '../../../engine/ground/time/clock-from';
import { Database } from '../../../engine/database/database';
import { reasonOf } from '../../../engine/database/errors';
import { Lease, LeaseLost } from '../../../engine/database/lease';
import { type Claim, ClaimsRepository } from './claims.repository';
import { WebhookDeliverer, type Sending } from './deliverer';
import { CLAIM_MS, LeftoversRepository } from './leftovers.repository';
import { SendingSlots } from './sending-slots';

const EVERY_MS = 1000;
const LEASE_MS = 30_000;
/** For a process that does not have the lease. */
const TAKES_EVERY_MS = 10_000;
/** Claims of ended processes, what has to end or to go, and the database's clock are looked at less often. */
const LOOKS_EVERY_MS = 15_000;

/**
 * Sends due deliveries. One process at a time does this, several deliveries at once. The state of each is a row, so any
 * process can continue.
 */
@Injectable()
export class BackgroundSending implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly lease: Lease;
  private readonly owner = randomUUID();
  private readonly end = new AbortController();
  private readonly slots = new SendingSlots();
  private readonly underWay = new Set<Promise<void>>();
  /** The number of deliveries that were under way. */
  private ended = 0;
  private readonly turns = new Mutex();
  private nudged: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = -Infinity;
  private takenAt = -Infinity;
  private isWarned = false;
  /** Whether a claim failed: nobody knows if it was committed. */
  private isUnsure = false;
  private now: (() => number) | undefined;

  constructor(
    private readonly database: Database,
    private readonly claims: ClaimsRepository,
    private readonly leftovers: LeftoversRepository,
    private readonly deliverer: WebhookDeliverer,
  ) {
    this.lease = new Lease(database, 'webhooks', LEASE_MS);
    // Each attempt listens to it.
    setMaxListeners(0, this.end.signal);
  }

  start(): void {
    this.timer ??= setInterval(() => this.nudge(), EVERY_MS);
  }

  nudge(): void {
    this.nudged ??= this.turns
      .run(() => unlessLost(() => this.tick()))
      .then(
        () => void (this.isWarned = false),
        (error: unknown) => this.warn(error),
      )
      .finally(() => (this.nudged = undefined));
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.end.abort();
    await this.turns.run(() => Promise.resolve());
    await Promise.all(this.underWay);
    await this.lease.release();
  }

  /** Sends all deliveries that are due at a moment, and waits for their ends. */
  async run(now: number): Promise<void> {
    const clock = clockFrom(now);
    for (;;) {
      const { ended } = this;
      await this.turns.run(() =>
        unlessLost(async () => {
          if (!(await this.lease.take())) return;
          while (await this.look(clock));
          await this.fill(clock);
        }),
      );
      if (this.underWay.size > 0) await Promise.race(this.underWay);
      // One that ended meanwhile may have kept its webhook from the next.
      else if (this.ended === ended) return;
    }
  }

  private async tick(): Promise<void> {
    const isTimeToLook = performance.now() >= this.lookedAt + LOOKS_EVERY_MS;
    if (this.end.signal.aborted) return;
    if (!this.now || isTimeToLook) this.now = clockFrom(await this.database.now());
    if (isTimeToLook || this.isUnsure || (await this.claims.isAnyDue(this.now())))
      await this.work(this.now, isTimeToLook);
  }

  /** Where nothing is due, no lease is taken, because that would write something. */
  private async work(now: () => number, isTimeToLook: boolean): Promise<void> {
    if (isTimeToLook) this.lookedAt = performance.now();
    if (isTimeToLook && !(await this.hasWork(now()))) return;
    if (!(await this.holdsLease())) return;
    if (isTimeToLook && (await this.look(now))) this.lookedAt = -Infinity;
    await this.fill(now);
  }

  private async hasWork(now: number): Promise<boolean> {
    return this.isUnsure || (await this.claims.isAnyDue(now)) || this.leftovers.areThere(now);
  }

  private async holdsLease(): Promise<boolean> {
    if (await this.lease.isHeld()) return true;
    if (performance.now() < this.takenAt + TAKES_EVERY_MS) return false;
    this.takenAt = performance.now();
    return this.lease.take();
  }

  /** Whether there may be more to do at the next turn. */
  private async look(now: () => number): Promise<boolean> {
    const { leftovers } = this;
    const { repeated, failed } = await leftovers.endClaims(now());
    if (repeated > 0) this.logger.warn(`${repeated} deliveries of a process that ended are sent again`);
    if (failed > 0) this.logger.warn(`${failed} deliveries of a process that ended have failed`);
    const isMoreAhead = await leftovers.moveBack(now());
    const isMoreOfWebsites = await leftovers.endOfDeletedWebsites(now());
    const isMoreExpired = await leftovers.endExpired(now());
    const isMoreRemoved = await leftovers.removeSomeDeleted(this.lease);
    return isMoreAhead || isMoreOfWebsites || isMoreExpired || isMoreRemoved;
  }

  /** Claims deliveries until all slots are taken. Attempts go on in the background. */
  private async fill(now: () => number): Promise<void> {
    const { owner } = this;
    if (this.isUnsure) await this.claims.putBackUnknown(this.lease, owner, this.slots.deliveryIds(), now());
    this.isUnsure = false;
    const sending: Sending = { owner, signal: this.end.signal, now };
    while (!this.slots.isFull && !this.end.signal.aborted) {
      const endsAt = now() + CLAIM_MS;
      const claim = await this.claim(now(), endsAt);
      if (!claim) return;
      this.slots.take(claim);
      const delivering = this.deliverer.deliver(claim, sending, endsAt).finally(() => {
        this.slots.leave(claim);
        this.underWay.delete(delivering);
        this.ended++;
        if (this.timer) this.nudge();
      });
      this.underWay.add(delivering);
    }
  }

  private async claim(now: number, endsAt: number): Promise<Claim | undefined> {
    try {
      return await this.claims.claim(this.lease, this.owner, this.slots.busy(), now, endsAt);
    } catch (error) {
      this.isUnsure ||= !(error instanceof LeaseLost);
      throw error;
    }
  }

  /** Once for each time that the database is away. */
  private warn(error: unknown): void {
    if (!this.isWarned) this.logger.warn(`deliveries postponed: ${reasonOf(error)}`);
    this.isWarned = true;
  }
}

/** Another process may do the work now. */
async function unlessLost(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
}
