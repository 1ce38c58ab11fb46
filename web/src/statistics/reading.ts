import type { AnnotationsAccess } from './annotations/annotations';
import type { Places } from './page-answer';

/** The reader of a website's statistics, and the addresses for queries. */
export interface Reading {
  domain: string;
  places: Places;
  /** Tells whether hours, properties and the values of events may be queried. */
  isOwner: boolean;
  /** Tells whether names may be combined, and today is shown. */
  mayFilter: boolean;
  /** Tells whether the details of live visitors are shown, beside their number. */
  isLiveWhole: boolean;
  /** Undefined if there are none for this reader. */
  annotations?: AnnotationsAccess | undefined;
  /** Tells whether the reader learns that the places of new visitors are unknown. */
  lacksPlaces?: boolean;
  /** What the owner has defined, in the console. */
  own?: Own;
}

/** The goals, saved filters and funnels of a website, which its owner sees and may change with a full key. */
export interface Own {
  websiteId: string;
  mayChange: boolean;
  headers: Record<string, string>;
}
