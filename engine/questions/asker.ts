import type { SeenIf } from '../hits/seen-if';

/** On whose behalf hits are asked about. It is plain data. */
export interface Asker {
  /** Holds at the moment of an answer, or there is none. */
  readonly seenIf: SeenIf;
  readonly isOwner: boolean;
  /** Set if the moment of an answer must not reveal hits that are left out. */
  readonly hidesWaiting: boolean;
}

/** Counts of the same days are the same while it is. */
export type DataVersion = string;
