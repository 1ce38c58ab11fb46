export const OWN_PATIENCE = {
  /** For the answer to a request. Each of its steps has a limit, too. */
  answerMs: 1500,
  /** For a look-up by key that a request waits for, or a write that events wait for. */
  lookUpMs: 1500,
  /** For an answer of the server to a probe, which requests wait for. A busy machine takes a while to open a connection. */
  probeMs: 1000,
} as const;

/** Tests share their processor with the service, and give it more time. */
export const patience: Record<keyof typeof OWN_PATIENCE, number> = { ...OWN_PATIENCE };
