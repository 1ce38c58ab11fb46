import { yieldIfNeeded } from '../../../common/time/yield-if-needed';

/** Throws if the query must end. */
export type Check = () => void;

/** The time limits of a query. */
export interface Turn {
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

/** Counts steps of work, and checks at intervals. A step is a row, or a unit of a text that is searched. */
export function checkBetween(check: Check): (steps?: number) => void {
  let unchecked = 0;
  return (steps = 1) => {
    unchecked += steps;
    if (unchecked < STEPS) return;
    unchecked = 0;
    check();
  };
}
