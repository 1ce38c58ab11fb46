const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;

/** Tells the day that a moment belongs to in one time zone, as days since 1970-01-01. */
export class DayClock {
  private readonly format: Intl.DateTimeFormat;
  private knownQuarter = NaN;
  private knownDay = NaN;

  constructor(timezone: string) {
    this.format = new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  }

  /** Offsets of zones are whole quarters of an hour, so what was asked for one moment holds for its quarter. */
  dayOf(moment: number): number {
    const quarter = Math.floor(moment / QUARTER_MS);
    if (quarter !== this.knownQuarter) {
      this.knownDay = Date.parse(`${this.format.format(moment)}T00:00:00Z`) / DAY_MS;
      this.knownQuarter = quarter;
    }
    return this.knownDay;
  }

  /** The moment at which a day is over. */
  endOf(day: number): number {
    let quarter = Math.floor(((day - 1) * DAY_MS) / QUARTER_MS);
    while (this.dayOf(quarter * QUARTER_MS) <= day) quarter++;
    return quarter * QUARTER_MS;
  }
}
