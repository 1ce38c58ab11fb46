const ROUND_MS = 60_000;
const OWNER_MS = 10_000;

/** A piece of work for an owner. */
export interface OwnedWork {
  id: number;
  ownerId: number;
}

/** One round of work, in limited time for each owner and for all. Everybody's first piece is done in any case. */
export class Round {
  /** Whether work waits for the next round. */
  hasPutOff = false;
  private readonly endsAt: number;
  private readonly begun = new Set<number>();
  private readonly spentMs = new Map<number, number>();

  constructor(private readonly now: () => number) {
    this.endsAt = now() + ROUND_MS;
  }

  takes({ id, ownerId }: OwnedWork): boolean {
    if (this.begun.has(id)) return false;
    const spentMs = this.spentMs.get(ownerId);
    const hasTime = spentMs === undefined || (spentMs < OWNER_MS && this.now() < this.endsAt);
    this.hasPutOff ||= !hasTime;
    return hasTime;
  }

  /** Counts a piece of work and its time. */
  async count({ id, ownerId }: OwnedWork, work: () => Promise<void>): Promise<void> {
    this.begun.add(id);
    const begunAt = this.now();
    await work();
    this.spentMs.set(ownerId, (this.spentMs.get(ownerId) ?? 0) + this.now() - begunAt);
  }
}
