const DAY_S = 86_400;
const QUARTER_S = 900;
const MAX_KNOWN = 100_000;

/** The UTC offset of one time zone, in seconds. Moments are seconds since 1970. */
export class LocalTime {
  private readonly format: Intl.DateTimeFormat;
  /** By UTC day, or by quarter of an hour on days on which the offset changes. */
  private readonly offsets = new Map<number, number>();
  private readonly changing = new Set<number>();
  private lastDay = NaN;
  private lastOffset = 0;

  constructor(timezone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  offsetAt(moment: number): number {
    const day = Math.floor(moment / DAY_S);
    if (day === this.lastDay) return this.lastOffset;
    const changes = this.changesOn(day);
    const begin = changes ? Math.floor(moment / QUARTER_S) * QUARTER_S : day * DAY_S;
    const offset = this.knownAt(begin);
    if (!changes) [this.lastDay, this.lastOffset] = [day, offset];
    return offset;
  }

  private changesOn(day: number): boolean {
    if (this.changing.has(day)) return true;
    const changes = this.knownAt(day * DAY_S) !== this.knownAt((day + 1) * DAY_S);
    if (changes) this.changing.add(day);
    return changes;
  }

  private knownAt(moment: number): number {
    const known = this.offsets.get(moment);
    if (known !== undefined) return known;
    if (this.offsets.size > MAX_KNOWN) {
      this.offsets.clear();
      this.changing.clear();
    }
    const offset = this.calculated(moment);
    this.offsets.set(moment, offset);
    return offset;
  }

  private calculated(moment: number): number {
    const parts = this.format.formatToParts(moment * 1000);
    const part = (type: Intl.DateTimeFormatPartTypes) =>
      Number(parts.find((known) => known.type === type)?.value);
    const local = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return local / 1000 - moment;
  }
}
