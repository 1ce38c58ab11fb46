import { DAY_MS } from './days';

const QUARTER_MS = 900_000;

/** Tells the day that a moment belongs to in one time zone, as days since 1970-01-01. */
export class DayClock {
  private readonly format: Intl.DateTimeFormat;
  private knownQuarter = NaN;
  private knownDay = NaN;

  constructor(timezone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
  }

  /** Offsets of zones are whole quarters of an hour, so what was asked for one moment holds for its quarter. */
  dayOf(moment: number): number {
    const quarter = Math.floor(moment / QUARTER_MS);
    if (quarter !== this.knownQuarter) {
      this.knownDay = this.calendarDayOf(moment);
      this.knownQuarter = quarter;
    }
    return this.knownDay;
  }

  /** The moment at which a day is over: within a day of when it is in UTC. */
  endOf(day: number): number {
    let [before, end] = [(day * DAY_MS) / QUARTER_MS, ((day + 2) * DAY_MS) / QUARTER_MS];
    while (end - before > 1) {
      const quarter = Math.floor((before + end) / 2);
      if (this.dayOf(quarter * QUARTER_MS) <= day) before = quarter;
      else end = quarter;
    }
    return end * QUARTER_MS;
  }

  /** The parts are taken by their types: how a locale orders and separates them may change with its data. */
  private calendarDayOf(moment: number): number {
    const parts = this.format.formatToParts(moment);
    const part = (type: Intl.DateTimeFormatPartTypes) =>
      Number(parts.find((known) => known.type === type)?.value);
    const day = Date.UTC(part('year'), part('month') - 1, part('day')) / DAY_MS;
    if (!Number.isInteger(day)) throw new RangeError(`the day of ${moment} cannot be told`);
    return day;
  }
}
