import { DAY_MS } from './days';

const QUARTER_MS = 900_000;
/** Enough for the days of more than two years. */
const MOST_KNOWN_ENDS = 1000;

/** Finds the day of a moment in one time zone, as days since 1970-01-01. */
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

  /** Zone offsets change only at whole quarters of an hour, so a result holds for its quarter. */
  dayOf(moment: number): number {
    const quarter = Math.floor(moment / QUARTER_MS);
    if (quarter !== this.knownQuarter) {
      this.knownDay = this.calendarDayOf(moment);
      this.knownQuarter = quarter;
    }
    return this.knownDay;
  }

  /** The moment at which a day ends. It takes some 20 µs to find and is needed for each hit, so it is cached. */
  endOf(day: number): number {
    const known = this.knownEnds.get(day);
    if (known !== undefined) return known;
    if (this.knownEnds.size >= MOST_KNOWN_ENDS) this.knownEnds.clear();
    const end = this.foundEnd(day);
    this.knownEnds.set(day, end);
    return end;
  }

  /** Searches within a day of the end in UTC. */
  private foundEnd(day: number): number {
    let [before, end] = [(day * DAY_MS) / QUARTER_MS, ((day + 2) * DAY_MS) / QUARTER_MS];
    while (end - before > 1) {
      const quarter = Math.floor((before + end) / 2);
      if (this.dayOf(quarter * QUARTER_MS) <= day) before = quarter;
      else end = quarter;
    }
    return end * QUARTER_MS;
  }

  /** Parts are picked by type: a locale's order and separators may change with its data. */
  private calendarDayOf(moment: number): number {
    const parts = this.format.formatToParts(moment);
    const part = (type: Intl.DateTimeFormatPartTypes) =>
      Number(parts.find((known) => known.type === type)?.value);
    const day = Date.UTC(part('year'), part('month') - 1, part('day')) / DAY_MS;
    if (!Number.isInteger(day)) throw new RangeError(`${moment} has no day`);
    return day;
  }
}
