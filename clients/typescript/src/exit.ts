interface Surroundings {
  process?: { on?(event: 'beforeExit', listener: () => void): void };
  document?: { visibilityState: string };
  addEventListener(event: string, listener: () => void): void;
}

interface Exit {
  /** A process has nothing else to do. */
  ends: () => void;
  /** A page is left or hidden. */
  leaves: () => void;
}

const exits = new Set<Exit>();
let isListening = false;

/** Returns how to stop listening. */
export function onExit(exit: Exit): () => void {
  exits.add(exit);
  if (!isListening) listen();
  isListening = true;
  return () => exits.delete(exit);
}

/** Once for all: a process warns of more than a few listeners. */
function listen(): void {
  const here = globalThis as unknown as Surroundings;
  const { document } = here;
  if (!document) return here.process?.on?.('beforeExit', () => exits.forEach(({ ends }) => ends()));
  const leave = () => exits.forEach(({ leaves }) => leaves());
  here.addEventListener('pagehide', leave);
  here.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && leave());
}
