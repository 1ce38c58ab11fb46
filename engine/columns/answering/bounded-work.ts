import type { Span } from '../../hits/calendar';
import type { Check } from '../../ground/deadline-check';
import type { ColumnCache } from '../read/column-cache';
import type { WorkingMemory } from '../../asking/memory/working-memory';

/** If the query is repeated within this time, it continues with the hits that were read. */
const UNFINISHED_MS = 10_000;

/** The subject of a request. */
interface Subject {
  websiteId: number;
  requested: Span;
}

/**
 * Answers one request at a time within the memory that threads share. After a finished request, the cache is within its
 * limit. After an unfinished one, for example at a deadline, all texts stay for a while, and count as taken.
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

  /** Forgets all that is known of a website, in the middle of its work. */
  beginAgain(websiteId: number): void {
    this.memory.check();
    this.cache.forget(websiteId);
    this.memory.end();
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
    // Merged texts must not appear in further answers.
    if (this.memory.isShort) this.cache.forget(websiteId);
    this.cache.trim(websiteId, requested);
    this.memory.end();
  }
}
