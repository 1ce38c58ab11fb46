import type { Logger } from '@nestjs/common';
import { reasonOf } from '../../engine/database/errors';
import { LeaseLost } from '../../engine/database/lease';

/** Tries a piece of work, for one website or none. If it fails, other work continues. */
export type Attempt = (websiteId: number | undefined, work: () => Promise<boolean>) => Promise<boolean>;

/** Tries the work for each website and returns those for which it was not completed. */
export async function findLeft(
  websiteIds: readonly number[],
  attempt: Attempt,
  work: (websiteId: number) => Promise<boolean>,
): Promise<number[]> {
  const left: number[] = [];
  for (const websiteId of websiteIds)
    if (!(await attempt(websiteId, () => work(websiteId)))) left.push(websiteId);
  return left;
}

/** Undefined if the work fails, so that it can be retried in smaller parts. A lost lease is rethrown. */
export async function unlessItFails<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    return undefined;
  }
}

interface Failure {
  since: string;
  websiteId: number | undefined;
  reason: string;
}

/** The removals that failed in the last round, with the reasons. */
export class RemovalFailures {
  private readonly failures = new Map<string, Failure>();

  constructor(private readonly logger: Pick<Logger, 'error'>) {}

  has(name: string): boolean {
    return this.failures.has(name);
  }

  /** Call when another process does the removals: its knowledge is newer. */
  clear(): void {
    this.failures.clear();
  }

  warnings() {
    return Array.from(this.failures, ([name, { since, websiteId, reason }]) => ({
      code: 'retention_fails' as const,
      ...(websiteId !== undefined && { website_id: websiteId }),
      detail: `Removing expired rows has been failing since ${since}: ${name}: ${reason}`,
    }));
  }

  /** Runs a removal and reports the first of its failures. A lost lease ends it. */
  async during(name: string, removal: (attempt: Attempt) => Promise<void>): Promise<void> {
    let first: Omit<Failure, 'since'> | undefined;
    let times = 0;
    const attempt: Attempt = async (websiteId, work) => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        first ??= { websiteId, reason: reasonOf(error) };
        times++;
        return false;
      }
    };
    await attempt(undefined, () => removal(attempt).then(() => true));
    this.note(name, first, times);
  }

  private note(name: string, failure: Omit<Failure, 'since'> | undefined, times: number): void {
    if (!failure) {
      this.failures.delete(name);
      return;
    }
    const since = this.failures.get(name)?.since ?? new Date().toISOString();
    this.failures.set(name, { ...failure, since });
    this.logger.error(`${name}: rows cannot be removed`, {
      cause: failure.reason,
      times,
      ...(failure.websiteId !== undefined && { website_id: failure.websiteId }),
    });
  }
}
