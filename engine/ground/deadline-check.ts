import { yieldIfNeeded } from './time/yield-if-needed';

/** Throws if the query must end. */
export type Check = () => void;

/** The time limits of a query. */
export interface TimeLimit {
  /** The time left for a read. */
  readonly patienceMs: number;
  readonly check: Check;
}

/** Call it between steps of some milliseconds. Other work runs, and the work ends if it must. */
export async function pause(check: Check): Promise<void> {
  check();
  await yieldIfNeeded();
}

const STEPS = 50_000;

/**
 * Counts steps of work, and checks at intervals. A step is a row, or a unit of a text that is searched. It is a class
 * because V8 drops compiled code once a function that it calls is garbage: each request would have a function of its own.
 */
export class WorkSteps {
  private unchecked = 0;

  constructor(private readonly check: Check) {}

  take(steps = 1): void {
    this.unchecked += steps;
    if (this.unchecked < STEPS) return;
    this.unchecked = 0;
    this.check();
  }
}
