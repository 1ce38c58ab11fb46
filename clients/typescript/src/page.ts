/** What an event may have besides its name. */
export interface EventDetails {
  props?: Record<string, string | number | boolean>;
  value?: number | string;
  /** Beside `value`: an ISO 4217 code. */
  currency?: string;
  /** Neither ends a bounce nor lengthens a visit. */
  passive?: boolean;
}

type Call = [command: 'event', name: string, details?: EventDetails];

export interface Tracker {
  (...call: Call): void;
  /** The calls that a page made before the tracker was there. */
  q?: Call[] | { push(call: Call): void };
}

declare global {
  interface Window {
    milepost?: Tracker;
  }
  /** Counts an event, on pages with the tracker. */
  var milepost: Tracker;
}
