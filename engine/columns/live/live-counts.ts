import { compareTexts } from '../../ground/text-order';
import { type Codes, unpacked } from '../../hits/codes/code-list';
import type { ColumnName } from '../../hits/hit-columns';
import type { HitBlock } from '../../hits/hit-block';
import { LIVE_WINDOW_S, SHORT_LIVE_WINDOW_S } from '../../hits/rules/live-window';
import { NOT_SET, type TextCodes, type WebsiteTexts } from '../../hits/codes/text-codes';
import { type Check, pause } from '../../ground/deadline-check';
import type { LiveCount, LiveMinute, LiveNumbers, LiveWindow } from '../../questions/live-numbers';

const MINUTE_S = 60;
const MINUTES = LIVE_WINDOW_S / MINUTE_S;
const LISTED = 10;
/** The number of hits in a step. */
const HITS_OF_STEP = 20_000;

/** The columns that are read. */
export const LIVE_COLUMNS = [
  'event',
  'page',
  'referrer',
  'country',
  'passive',
] as const satisfies ColumnName[];

/** Counts the visitors before a moment, in seconds since 1970, with their pages, referrers and countries. */
export class LiveCounts {
  /** The number of hits within the window. */
  hits = 0;
  private readonly short: WindowCounts;
  private readonly long: WindowCounts;
  private readonly minutes = new VisitorCounts(MINUTES);
  private readonly firstMinute: number;
  /** Each block has visitors of its own. */
  private visitors = 0;

  constructor(
    private readonly now: number,
    { of }: WebsiteTexts,
  ) {
    this.short = new WindowCounts(now - SHORT_LIVE_WINDOW_S, of);
    this.long = new WindowCounts(now - LIVE_WINDOW_S, of);
    this.firstMinute = Math.floor(now / MINUTE_S) - MINUTES + 1;
  }

  /** A hit in the future counts as of now. Hits without a known visitor and passive events are not counted. */
  async add(block: HitBlock, check: Check = () => undefined): Promise<void> {
    const { visitors, begins, isKnown, at } = block;
    const own = codesOf(block);
    await pause(check);
    for (let visitor = 0, looked = 0; visitor < visitors; visitor++) {
      if (begins[visitor]! - looked >= HITS_OF_STEP) {
        looked = begins[visitor]!;
        await pause(check);
      }
      const number = ++this.visitors;
      for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++) {
        const moment = Math.min(at[hit]!, this.now);
        if (moment < this.long.since) continue;
        this.hits++;
        if (isKnown[visitor] === 0 || own.passive[hit] !== NOT_SET) continue;
        this.minutes.add(Math.floor(moment / MINUTE_S) - this.firstMinute, number);
        const page = own.event[hit] === NOT_SET ? own.page[hit]! : NOT_SET;
        this.long.add(number, page, own.referrer[hit]!, own.country[visitor]!);
        if (moment >= this.short.since)
          this.short.add(number, page, own.referrer[hit]!, own.country[visitor]!);
      }
    }
  }

  numbers(): Pick<LiveNumbers, 'short' | 'long' | 'minutes'> {
    const minutes = Array.from({ length: MINUTES }, (_, index): LiveMinute => ({
      minute: this.firstMinute + index,
      visitors: this.minutes.counts[index]!,
    }));
    return { short: this.short.window(), long: this.long.window(), minutes };
  }
}

/** Counts the visitors of each number. The hits of a visitor must be consecutive. */
class VisitorCounts {
  readonly counts: Uint32Array;
  private readonly last: Uint32Array;

  constructor(size: number) {
    this.counts = new Uint32Array(size);
    this.last = new Uint32Array(size);
  }

  /** Numbers beyond the size are ignored. */
  add(number: number, visitor: number): void {
    if (this.last[number] === visitor) return;
    this.last[number] = visitor;
    this.counts[number]!++;
  }
}

/** Counts since a moment. */
class WindowCounts {
  private visitors = 0;
  private last = 0;
  private readonly pages: VisitorCounts;
  private readonly referrers: VisitorCounts;
  private readonly countries: VisitorCounts;

  constructor(
    readonly since: number,
    private readonly texts: WebsiteTexts['of'],
  ) {
    const countsOf = ({ texts }: TextCodes) => new VisitorCounts(texts.length);
    [this.pages, this.referrers, this.countries] = [
      countsOf(texts.page),
      countsOf(texts.referrer),
      countsOf(texts.country),
    ];
  }

  add(visitor: number, page: number, referrer: number, country: number): void {
    if (visitor !== this.last) this.visitors++;
    this.last = visitor;
    this.pages.add(page, visitor);
    this.referrers.add(referrer, visitor);
    this.countries.add(country, visitor);
  }

  window(): LiveWindow {
    const { page, referrer, country } = this.texts;
    return {
      visitors: this.visitors,
      pages: largestOf(this.pages, page),
      referrers: largestOf(this.referrers, referrer),
      countries: largestOf(this.countries, country),
    };
  }
}

/** The values with the most visitors; ties by value. The rest is not sorted. */
function largestOf({ counts }: VisitorCounts, { texts }: TextCodes): LiveCount[] {
  const largest: LiveCount[] = [];
  for (let code = NOT_SET + 1; code < counts.length; code++) {
    const own = { value: texts[code]!, count: counts[code]! };
    if (own.count === 0) continue;
    if (largest.length === LISTED && isBefore(largest.at(-1)!, own)) continue;
    largest.splice(largest.findLastIndex((one) => isBefore(one, own)) + 1, 0, own);
    if (largest.length > LISTED) largest.pop();
  }
  return largest;
}

function isBefore(one: LiveCount, other: LiveCount): boolean {
  const more = one.count - other.count;
  return more > 0 || (more === 0 && compareTexts(one.value, other.value) < 0);
}

function codesOf({ codes, hits, visitors }: HitBlock): Record<(typeof LIVE_COLUMNS)[number], Codes> {
  const of = (name: ColumnName, size: number) => unpacked(codes[name]!.rows, size);
  return {
    event: of('event', hits),
    page: of('page', hits),
    referrer: of('referrer', hits),
    country: of('country', visitors),
    passive: of('passive', hits),
  };
}
