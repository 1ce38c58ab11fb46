/** Throws where the question is not to be answered any more. */
export type Check = () => void;

const STEPS = 50_000;

/** Counts steps of work, and checks once in so many. */
export function checkBetween(check: Check): (steps?: number) => void {
  let unchecked = 0;
  return (steps = 1) => {
    unchecked += steps;
    if (unchecked < STEPS) return;
    unchecked = 0;
    check();
  };
}
