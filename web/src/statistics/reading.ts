import type { AnnotationsAccess } from './annotations/annotations';
import type { Places } from './page-answer';

/** The reader of a website's statistics, and the addresses for queries. */
export interface Reading {
  domain: string;
  places: Places;
  /** Whether hours, properties and the values of events may be queried. */
  isOwner: boolean;
  /** Whether names may be combined, and today is shown. */
  mayFilter: boolean;
  /** Whether the details of live visitors are shown, beside their number. */
  isLiveWhole: boolean;
  /** Undefined if there are none for this reader. */
  annotations?: AnnotationsAccess | undefined;
}
