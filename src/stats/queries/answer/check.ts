import { yieldIfNeeded } from '../../../common/time/yield-if-needed';

/** Throws where the query is not to be answered any more. */
export type Check = () => void;

/** How long a query may take. */
export interface Turn {
  /** What a read may still take. */
  readonly patienceMs: number;
  readonly check: Check;
}

/** Between two steps of some milliseconds: others have their turn, and the work ends where it is not to go on. */
export async function pause(check: Check): Promise<void> {
  check();
  await yieldIfNeeded();
}

const STEPS = 50_000;

/** Counts steps of work, and checks after some of them. */
export function checkBetween(check: Check): (steps?: number) => void {
  let unchecked = 0;
  return (steps = 1) => {
    unchecked += steps;
    if (unchecked < STEPS) return;
    unchecked = 0;
    check();
  };
}
