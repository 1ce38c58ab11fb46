import type { LiveValue } from './live-values';

/** A visitor, or a value of one, as it was seen last. */
export type Seen = LiveVisitor | Sighting;

const MINUTES_KNOWN = 32;

export class LiveVisitor {
  lastAt = 0;
  /** How many values it was seen with, and the last of them. */
  values = 0;
  last: Sighting | undefined;
  /** The last minute in which it was seen, and a bit for it and each of those before it. */
  private minute = 0;
  private minutes = 0;

  constructor(
    /** What each visitor is counted for. */
    readonly value: LiveValue,
    readonly hash: string,
    /** Where it belongs among all that may be. */
    readonly place: number,
  ) {}

  /** There are few of them. */
  find(value: LiveValue): Sighting | undefined {
    let sighting = this.last;
    while (sighting && sighting.value !== value) sighting = sighting.before;
    return sighting;
  }

  add(value: LiveValue): Sighting {
    this.values++;
    return (this.last = new Sighting(value, this, this.last));
  }

  remove(sighting: Sighting): void {
    this.values--;
    if (this.last === sighting) this.last = sighting.before;
    for (let one = this.last; one; one = one.before)
      if (one.before === sighting) one.before = sighting.before;
  }

  /** Whether it was not seen in the minute before. */
  seeIn(minute: number): boolean {
    const later = minute - this.minute;
    if (later > 0) {
      this.minutes = later < MINUTES_KNOWN ? this.minutes << later : 0;
      this.minute = minute;
    }
    const bit = 1 << Math.max(0, -later);
    const isNew = (this.minutes & bit) === 0;
    this.minutes |= bit;
    return isNew;
  }

  *minutesSeen(): Generator<number> {
    for (let back = 0; back < MINUTES_KNOWN; back++)
      if ((this.minutes & (1 << back)) !== 0) yield this.minute - back;
  }
}

/** A visitor with a value. */
export class Sighting {
  lastAt = 0;

  constructor(
    readonly value: LiveValue,
    readonly visitor: LiveVisitor,
    /** That of the same visitor before it. */
    public before: Sighting | undefined,
  ) {}
}

export function visitorOf(seen: Seen): LiveVisitor {
  return seen instanceof LiveVisitor ? seen : seen.visitor;
}

/**
 * Who was seen in a window of time, by the second. What is seen again stays where it is until that second has passed, so
 * that a hit costs nothing here.
 */
export class SeenQueue {
  private readonly bySecond = new Map<number, Seen[]>();

  add(seen: Seen): void {
    const others = this.bySecond.get(seen.lastAt);
    if (others) others.push(seen);
    else this.bySecond.set(seen.lastAt, [seen]);
  }

  /** Takes out what was not seen since a moment, some at a time. */
  *takeBefore(moment: number): Generator<Seen[]> {
    for (const [second, all] of this.bySecond) {
      if (second >= moment) continue;
      this.bySecond.delete(second);
      const [left, stays] = parted(all, ({ lastAt }) => lastAt < moment);
      for (const seen of stays) this.add(seen);
      yield left;
    }
  }

  takeWhere(isTaken: (seen: Seen) => boolean): Seen[] {
    const taken: Seen[] = [];
    for (const [second, all] of this.bySecond) {
      const [left, stays] = parted(all, isTaken);
      this.bySecond.set(second, stays);
      for (const seen of left) taken.push(seen);
    }
    return taken;
  }
}

function parted(all: Seen[], isLeft: (seen: Seen) => boolean): [left: Seen[], stays: Seen[]] {
  const left: Seen[] = [];
  const stays: Seen[] = [];
  for (const seen of all) (isLeft(seen) ? left : stays).push(seen);
  return [left, stays];
}
