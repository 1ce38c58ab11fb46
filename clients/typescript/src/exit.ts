interface Process {
  on(event: 'beforeExit', listener: () => void): void;
  off(event: 'beforeExit', listener: () => void): void;
}

interface Surroundings {
  process?: Process;
  document?: { visibilityState: string };
  addEventListener(event: string, listener: () => void): void;
  removeEventListener(event: string, listener: () => void): void;
}

interface Exit {
  /** A process has nothing else to do. */
  ends: () => void;
  /** A page is left or hidden. */
  leaves: () => void;
}

/** Returns how to stop listening. */
export function onExit({ ends, leaves }: Exit): () => void {
  const here = globalThis as unknown as Surroundings;
  if (here.document) {
    const hides = () => void (here.document!.visibilityState === 'hidden' && leaves());
    here.addEventListener('pagehide', leaves);
    here.addEventListener('visibilitychange', hides);
    return () => {
      here.removeEventListener('pagehide', leaves);
      here.removeEventListener('visibilitychange', hides);
    };
  }
  here.process?.on?.('beforeExit', ends);
  return () => here.process?.off?.('beforeExit', ends);
}
