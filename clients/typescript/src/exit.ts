interface Surroundings {
  process?: { on?(event: 'beforeExit', listener: () => void): void };
  document?: { visibilityState: string };
  addEventListener(event: string, listener: () => void): void;
}

interface Exit {
  /** The process has nothing else to do. */
  ends: () => void;
  /** The page is left or hidden. */
  leaves: () => void;
}

const exits = new Set<Exit>();
let isListening = false;

/** Returns a function that stops listening. */
export function onExit(exit: Exit): () => void {
  exits.add(exit);
  if (!isListening) listen();
  isListening = true;
  return () => exits.delete(exit);
}

/** Listens once for all exits, because a process warns about more than a few listeners. */
function listen(): void {
  const here = globalThis as unknown as Surroundings;
  const { document } = here;
  if (!document) return here.process?.on?.('beforeExit', () => exits.forEach(({ ends }) => ends()));
  const leave = () => exits.forEach(({ leaves }) => leaves());
  here.addEventListener('pagehide', leave);
  here.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && leave());
}
