import type { Due } from './due-alerts.repository';

const ROUND_MS = 60_000;
const OWNER_MS = 10_000;

/** One round of checks, in limited time for each owner and for all. Everybody's first is checked in any case. */
export class Round {
  /** Whether alerts wait for the next round. */
  hasPutOff = false;
  private readonly endsAt: number;
  private readonly checked = new Set<number>();
  private readonly spentMs = new Map<number, number>();

  constructor(private readonly now: () => number) {
    this.endsAt = now() + ROUND_MS;
  }

  takes({ id, ownerId }: Due): boolean {
    if (this.checked.has(id)) return false;
    const spentMs = this.spentMs.get(ownerId);
    const hasTime = spentMs === undefined || (spentMs < OWNER_MS && this.now() < this.endsAt);
    this.hasPutOff ||= !hasTime;
    return hasTime;
  }

  /** Counts a check and its time. */
  async count({ id, ownerId }: Due, check: () => Promise<void>): Promise<void> {
    this.checked.add(id);
    const begunAt = this.now();
    await check();
    this.spentMs.set(ownerId, (this.spentMs.get(ownerId) ?? 0) + this.now() - begunAt);
  }
}
