import type { Span } from '../../storage/calendar';
import type { HitsOfDay } from '../../storage/kept-hits';

/** Asks which days of a range have hits. */
export interface HitDaysRequest {
  readonly websiteId: number;
  readonly range: Span;
}

/** Asks for the hits of a day as lines of a file. */
export interface HitsRequest {
  readonly ownerId: number;
  readonly websiteId: number;
  readonly day: HitsOfDay;
  /** One for each hit that is exported, else zero; all are where there is none. */
  readonly selected: Uint8Array | undefined;
  /** The type of the file. */
  readonly type: string;
}
