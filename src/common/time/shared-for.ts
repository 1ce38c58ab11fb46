/** Looks at most once in a time, and gives the answer to all who ask meanwhile. */
export function sharedFor<T>(milliseconds: number, look: () => Promise<T>): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > milliseconds) last = { at: performance.now(), answer: look() };
    return last.answer;
  };
}
