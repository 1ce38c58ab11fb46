import { DayClock } from '../../../engine/ground/time/day-clock';
import { LocalTime } from '../../../engine/ground/time/local-time';
import type { AlertSpan } from '../alert/alert-rules';

/** A time whose hits are counted, in milliseconds; its end is not part of it. */
export interface Window {
  from: number;
  to: number;
}

export const HOUR_MS = 3_600_000;
const HOUR_S = 3600;
/** The offsets of time zones change at whole quarters of an hour. */
const QUARTER_S = 900;
const QUARTER_MS = 1000 * QUARTER_S;
const WEEK_S = 7 * 24 * HOUR_S;
const COMPARED_WEEKS = 4;
/** A website without hits for this time is silent. */
export const SILENT_HOURS = 24;
/** No clock is set further in four weeks. */
const SHIFTED_S = 26 * HOUR_S;

interface LocalHour {
  /** The digits of its begin, as seconds since 1970. */
  local: number;
  offset: number;
}

/** Clock hours and days of the service's time zone. An hour that is repeated is two windows. */
export class Windows {
  private readonly days: DayClock;
  private readonly time: LocalTime;

  constructor(timezone: string) {
    this.days = new DayClock(timezone);
    this.time = new LocalTime(timezone);
  }

  around(moment: number, within: AlertSpan): Window {
    return within === 'hour' ? this.hourAround(moment) : this.dayAround(moment);
  }

  /** The last window that is over. */
  lastBefore(moment: number, within: AlertSpan): Window {
    return this.around(this.around(moment, within).from - 1, within);
  }

  /**
   * The same hour of the same weekday in the four weeks before. An hour that the clocks left out is not there, and of a
   * repeated one it is the first.
   */
  comparedWith({ from }: Window): Window[] {
    const { local, offset } = this.hourOf(Math.floor(from / QUARTER_MS));
    const compared: Window[] = [];
    for (let week = COMPARED_WEEKS; week > 0; week--) {
      const hour = this.hourWith(local - week * WEEK_S, offset);
      if (hour) compared.push(hour);
    }
    return compared;
  }

  private hourAround(moment: number): Window {
    const quarter = Math.floor(moment / QUARTER_MS);
    const hour = this.hourOf(quarter);
    let [from, to] = [quarter, quarter + 1];
    while (isSame(this.hourOf(from - 1), hour)) from--;
    while (isSame(this.hourOf(to), hour)) to++;
    return { from: from * QUARTER_MS, to: to * QUARTER_MS };
  }

  private dayAround(moment: number): Window {
    const day = this.days.dayOf(moment);
    return { from: this.days.endOf(day - 1), to: this.days.endOf(day) };
  }

  /** The first hour with these digits, near the moment that has them by this offset. */
  private hourWith(local: number, offset: number): Window | undefined {
    const expected = (local - offset) / QUARTER_S;
    const around = SHIFTED_S / QUARTER_S;
    for (let quarter = Math.floor(expected - around); quarter <= expected + around; quarter++)
      if (this.hourOf(quarter).local === local) return this.hourAround(quarter * QUARTER_MS);
    return undefined;
  }

  private hourOf(quarter: number): LocalHour {
    const at = quarter * QUARTER_S;
    const offset = this.time.offsetAt(at);
    return { local: Math.floor((at + offset) / HOUR_S) * HOUR_S, offset };
  }
}

function isSame(one: LocalHour, other: LocalHour): boolean {
  return one.local === other.local && one.offset === other.offset;
}
