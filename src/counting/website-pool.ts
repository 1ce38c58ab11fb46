const PAUSE_PER_WEBSITE_MS = 2;
const MAX_PAUSE_MS = 500;

/**
 * How long to wait before websites are looked for again. Where there are many, each fold takes what came in a longer
 * time, so that events cost less.
 */
export function pauseAfter(websites: number, leastMs: number): number {
  return Math.max(leastMs, Math.min(MAX_PAUSE_MS, websites * PAUSE_PER_WEBSITE_MS));
}

/** Returns whether there is more to do for the website; it must not reject. */
type WebsiteTask = (websiteId: number) => Promise<boolean>;

/**
 * Runs a task for many websites, some of them at a time and each website in its turn. A website with more to do goes to
 * the end of the queue.
 */
export class WebsitePool {
  private readonly queued = new Set<number>();
  private readonly running = new Map<number, Promise<void>>();
  private isClosed = false;

  constructor(
    private readonly size: number,
    private readonly task: WebsiteTask,
  ) {}

  /** Does nothing where the website is queued or in work already. */
  add(websiteId: number): void {
    if (this.isClosed || this.running.has(websiteId)) return;
    this.queued.add(websiteId);
    this.fill();
  }

  clear(): void {
    this.queued.clear();
  }

  /** Resolves once nothing runs any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.clear();
    await Promise.all(this.running.values());
  }

  private fill(): void {
    for (const websiteId of this.queued) {
      if (this.running.size >= this.size) return;
      this.queued.delete(websiteId);
      this.running.set(websiteId, this.run(websiteId));
    }
  }

  private async run(websiteId: number): Promise<void> {
    // Requests have their turn between two tasks.
    await new Promise(setImmediate);
    const hasMore = await this.task(websiteId);
    this.running.delete(websiteId);
    if (hasMore && !this.isClosed) this.queued.add(websiteId);
    this.fill();
  }
}
