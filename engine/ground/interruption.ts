let interruption: AbortController | undefined;

/** Aborted when somebody interrupts the command, which then ends by itself. */
export function untilInterrupted(): AbortSignal {
  if (!interruption) {
    const own = (interruption = new AbortController());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => own.abort());
  }
  return interruption.signal;
}
