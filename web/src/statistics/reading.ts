import type { Places } from './page-answer';

/** Who reads the statistics of a website, and where they are asked for. */
export interface Reading {
  domain: string;
  places: Places;
  /** Whether hours, properties and the values of events may be asked for. */
  isOwner: boolean;
  /** Whether names may be combined, and today be seen. */
  mayFilter: boolean;
  /** Whether what live visitors do is shown, beside their number. */
  isLiveWhole: boolean;
}
