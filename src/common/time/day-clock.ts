import { DAY_MS } from './days';

const QUARTER_MS = 900_000;
/** Those of the days that a year's hits are of. */
const MOST_KNOWN_ENDS = 1000;

/** Tells the day that a moment belongs to in one time zone, as days since 1970-01-01. */
export class DayClock {
  private readonly format: Intl.DateTimeFormat;
  private knownQuarter = NaN;
  private knownDay = NaN;
  private readonly knownEnds = new Map<number, number>();

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

  /** The moment at which a day is over. Each hit is asked for that of its day, which takes some 20 µs to find. */
  endOf(day: number): number {
    const known = this.knownEnds.get(day);
    if (known !== undefined) return known;
    if (this.knownEnds.size >= MOST_KNOWN_ENDS) this.knownEnds.clear();
    const end = this.foundEnd(day);
    this.knownEnds.set(day, end);
    return end;
  }

  /** Within a day of when it is in UTC. */
  private foundEnd(day: number): number {
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
    if (!Number.isInteger(day)) throw new RangeError(`${moment} has no day`);
    return day;
  }
}
