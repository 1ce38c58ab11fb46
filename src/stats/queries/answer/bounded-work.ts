import type { Span } from '../../../storage/calendar';
import type { Check } from './check';
import type { ColumnCache } from '../read/column-cache';
import type { WorkingMemory } from './working-memory';

/** Who asks again within that time goes on with what was read. */
const UNFINISHED_MS = 10_000;

/** What a request is about. */
interface Subject {
  websiteId: number;
  requested: Span;
}

/**
 * Answers one request after the other in the memory that threads share. What is kept of one that is done fits into the
 * cache. Of one that ended early, for example at a deadline, all texts stay for a while, and stay counted.
 */
export class BoundedWork {
  private unfinished: { subject: Subject; timer: NodeJS.Timeout } | undefined;

  constructor(
    private readonly cache: ColumnCache,
    private readonly memory: WorkingMemory,
  ) {}

  async run<T>(subject: Subject, check: Check, work: (check: Check) => Promise<T>): Promise<T> {
    const { memory } = this;
    this.begin(subject);
    let isDone = false;
    try {
      const result = await work(() => {
        check();
        memory.check();
      });
      memory.check();
      isDone = true;
      return result;
    } finally {
      if (isDone || memory.isShort) this.end(subject);
      else this.putAside(subject);
    }
  }

  private begin(subject: Subject): void {
    const before = this.unfinished?.subject;
    clearTimeout(this.unfinished?.timer);
    this.unfinished = undefined;
    if (before && before.websiteId !== subject.websiteId) this.end(before);
  }

  private putAside(subject: Subject): void {
    this.memory.keepTexts();
    const timer = setTimeout(() => {
      this.unfinished = undefined;
      this.end(subject);
    }, UNFINISHED_MS).unref();
    this.unfinished = { subject, timer };
  }

  private end({ websiteId, requested }: Subject): void {
    // Texts that were taken together would be in further answers.
    if (this.memory.isShort) this.cache.forget(websiteId);
    this.cache.trim(websiteId, requested);
    this.memory.end();
  }
}
