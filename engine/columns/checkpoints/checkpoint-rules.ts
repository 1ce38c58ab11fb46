import { bytesOfPool } from '../../ground/memory/memory-limits';

/** Which open days get checkpoints. */
export const CHECKPOINTS = {
  /** The number of hits behind its last checkpoint at which a day gets another one. */
  hits: 100_000,
  /** A day with larger counts gets none. Hits, their hashes and garbage take up to 60 MiB beside them. */
  countedBytes: bytesOfPool('sealing') / 2,
};
