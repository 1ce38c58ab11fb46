import type { Span } from '../hits/calendar';
import type { SeenIf } from '../hits/seen-if';
import type { Filter } from './parse/filter';

/** The hits of a range at a moment. The text changes with them, and only threads read it. */
export type HitsVersion = string;

export interface HitsVersionRequest {
  readonly seenIf: SeenIf;
  readonly websiteId: number;
  readonly range: Span;
}

/** A request for hits as lines of a file. */
export interface HitsRequest {
  readonly seenIf: SeenIf;
  readonly websiteId: number;
  /** Hits that were counted later are not exported. */
  readonly version: HitsVersion;
  /** Undefined if all hits are exported. */
  readonly filter: Filter | undefined;
  /** The type of the file. */
  readonly type: string;
}
