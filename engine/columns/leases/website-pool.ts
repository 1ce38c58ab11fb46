const PAUSE_PER_WEBSITE_MS = 2;
const MAX_PAUSE_MS = 500;

/**
 * The pause before the next look for websites. With many websites, each fold takes the hits of a longer time, so that
 * events cost less.
 */
export function pauseAfter(websites: number, leastMs: number): number {
  return Math.max(leastMs, Math.min(MAX_PAUSE_MS, websites * PAUSE_PER_WEBSITE_MS));
}

/** Returns whether the website has more work. It must not reject. */
type WebsiteTask = (websiteId: number) => Promise<boolean>;

/** Longer tasks give their places to others, up to a number of places. */
interface Patience {
  milliseconds: number;
  places: number;
}

/** Runs a task for many websites, several at a time. A website with more work goes to the end of the queue. */
export class WebsitePool {
  private readonly queued = new Set<number>();
  private readonly running = new Map<number, Promise<void>>();
  /** The websites with long tasks. */
  private readonly late = new Set<number>();
  private isClosed = false;

  constructor(
    private readonly size: number,
    private readonly task: WebsiteTask,
    private readonly patience?: Patience,
  ) {}

  /** Does nothing if the website is queued or running. */
  add(websiteId: number): void {
    if (this.isClosed || this.running.has(websiteId)) return;
    this.queued.add(websiteId);
    this.fill();
  }

  has(websiteId: number): boolean {
    return this.queued.has(websiteId) || this.running.has(websiteId);
  }

  clear(): void {
    this.queued.clear();
  }

  /** Resolves once nothing runs. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.clear();
    await Promise.all(this.running.values());
  }

  private fill(): void {
    const places = this.size + Math.min(this.late.size, this.patience?.places ?? 0);
    for (const websiteId of this.queued) {
      if (this.running.size >= places) return;
      this.queued.delete(websiteId);
      this.running.set(websiteId, this.run(websiteId));
    }
  }

  private async run(websiteId: number): Promise<void> {
    // Requests run between two tasks.
    await new Promise(setImmediate);
    const lateness = this.patience && setTimeout(() => this.noteLate(websiteId), this.patience.milliseconds);
    const hasMore = await this.task(websiteId);
    clearTimeout(lateness);
    this.late.delete(websiteId);
    this.running.delete(websiteId);
    if (hasMore && !this.isClosed) this.queued.add(websiteId);
    this.fill();
  }

  private noteLate(websiteId: number): void {
    this.late.add(websiteId);
    this.fill();
  }
}
