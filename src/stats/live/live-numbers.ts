/** Who is on a website at a moment. */
export interface LiveNumbers {
  /** Every event that was acknowledged by then is in the numbers, where all hits of late are. */
  readonly asOf: number;
  /** Whether no hits of late are left out. */
  readonly isWhole: boolean;
  /** Of the last 5 minutes, and of 30. */
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
