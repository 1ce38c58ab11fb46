/** Calls `look` at most once per interval and shares its answer among all callers. */
export function sharedFor<T>(milliseconds: number, look: () => Promise<T>): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > milliseconds) last = { at: performance.now(), answer: look() };
    return last.answer;
  };
}
