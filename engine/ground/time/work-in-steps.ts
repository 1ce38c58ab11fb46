/** Work in steps of some milliseconds. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all steps without a pause. */
export function ended<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Awaits `between` after each step, for example to yield to other work. */
export async function inSteps<T>(steps: Steps<T>, between: () => Promise<void>): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await between();
  }
}
