import type { SeenIf } from '../hits/seen-if';
import type { ResolvedFilter } from './parse/filter';

/** On whose behalf hits are asked about. It is plain data. */
export interface Asker {
  /** Holds at the moment of an answer, or there is none. */
  readonly seenIf: SeenIf;
  readonly isOwner: boolean;
  /** What limits the shared page that is read, written out. */
  readonly pageFilters: ResolvedFilter[] | undefined;
}

/** Counts of the same days are the same while it is. */
export type DataVersion = string;
