import { Injectable } from '@nestjs/common';
import type { DropReason } from '../../../engine/hits/events/dropped-events';

/** A page in the background asks once a minute. */
const WAITING_MS = 2 * 60_000;
const MAX_WAITING = 1000;

/** The last event of an owner that a rule dropped. */
export interface OwnDrop {
  reason: DropReason;
  secondsAgo: number;
}

interface Waiting {
  until: number;
  reason?: DropReason;
  droppedAt: number;
}

/**
 * Tells owners who wait for the first visit whether an event from their own address was dropped. Addresses stay in the
 * memory of the process, and are forgotten soon after the owner stops asking.
 */
@Injectable()
export class OwnVisits {
  /** By website and address, those that asked last at the end. */
  private readonly waiting = new Map<string, Waiting>();

  /** Waits for events from this address, and returns the last that was dropped since the first call. */
  lastDropped(websiteId: number, address: string): OwnDrop | undefined {
    const now = performance.now();
    this.forgetExpired(now);
    const key = keyOf(websiteId, address);
    const known: Omit<Waiting, 'until'> = this.waiting.get(key) ?? { droppedAt: 0 };
    this.waiting.delete(key);
    this.waiting.set(key, { ...known, until: now + WAITING_MS });
    if (this.waiting.size > MAX_WAITING) this.waiting.delete(this.waiting.keys().next().value!);
    const { reason, droppedAt } = known;
    return reason && { reason, secondsAgo: Math.round((now - droppedAt) / 1000) };
  }

  noteDropped(websiteId: number, address: string, reason: DropReason): void {
    if (this.waiting.size === 0) return;
    const now = performance.now();
    this.forgetExpired(now);
    const waiting = this.waiting.get(keyOf(websiteId, address));
    if (waiting) Object.assign(waiting, { reason, droppedAt: now });
  }

  private forgetExpired(now: number): void {
    for (const [key, { until }] of this.waiting) {
      if (until > now) return;
      this.waiting.delete(key);
    }
  }
}

function keyOf(websiteId: number, address: string): string {
  return `${websiteId} ${address}`;
}
