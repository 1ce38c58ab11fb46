/** Work that is cut into steps of some milliseconds. */
export type Steps<T> = Generator<undefined, T>;

/** Does all of it at once. */
export function ended<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Does something between two steps, for example to let others have their turn. */
export async function inSteps<T>(steps: Steps<T>, between: () => Promise<void>): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await between();
  }
}
