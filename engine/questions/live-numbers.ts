import type { SeenIf } from '../hits/seen-if';

export interface LiveRequest {
  readonly seenIf: SeenIf;
  readonly websiteId: number;
}

/** The live visitors at a moment. */
export interface LiveNumbers {
  /** Every event that was acknowledged by then is included, if `isWhole`. */
  readonly asOf: number;
  /** Tells whether no recent hit was left out. */
  readonly isWhole: boolean;
  /** Of the last 5 minutes, and of the last 30. */
  readonly short: LiveWindow;
  readonly long: LiveWindow;
  readonly minutes: LiveMinute[];
}

export interface LiveWindow {
  readonly visitors: number;
  readonly pages: LiveCount[];
  readonly referrers: LiveCount[];
  readonly countries: LiveCount[];
}

export interface LiveCount {
  readonly value: string;
  /** Visitors. */
  readonly count: number;
}

export interface LiveMinute {
  /** Minutes since 1970. */
  readonly minute: number;
  readonly visitors: number;
}
