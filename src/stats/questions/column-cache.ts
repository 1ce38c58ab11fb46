import { bytesFor } from '../../common/byte-budget';
import type { Span } from '../../storage/calendar';
import { bytesOfDay, type DayBuilder, type DayColumns } from '../../storage/day-columns';
import { WebsiteTexts } from '../../storage/text-codes';
import type { Values } from './derived';
import { WebsiteValues } from './website-values';

/** What the texts of a website may take while questions about it are answered. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export interface CachedDay {
  day: number;
  /** Undefined of a day that was read in part. */
  columns: DayColumns | undefined;
  /** Goes on with a day that is not over, or was read in part. */
  builder: DayBuilder | undefined;
}

/** What is known of a website. */
export interface KnownWebsite {
  readonly values: WebsiteValues;
  readonly days: ReadonlyMap<number, CachedDay>;
}

class CachedWebsite implements KnownWebsite {
  readonly values = new WebsiteValues(new WebsiteTexts(MAX_TEXT_BYTES));
  readonly days = new Map<number, CachedDay>();
  bytesOfDays = 0;

  get bytes(): number {
    return this.values.bytes + this.bytesOfDays;
  }

  set(cached: CachedDay): void {
    this.remove(cached.day);
    this.days.set(cached.day, cached);
    this.bytesOfDays += bytesOf(cached);
  }

  remove(day: number): CachedDay | undefined {
    const known = this.days.get(day);
    if (known) this.bytesOfDays -= bytesOf(known);
    this.days.delete(day);
    return known;
  }
}

function bytesOf({ columns, builder }: CachedDay): number {
  return (columns ? bytesOfDay(columns) : 0) + (builder?.bytes ?? 0);
}

/**
 * The columns that were read last, as many as their bytes allow. Where a website has more than that, the days that are
 * asked for stay, the first ones of them, so that the next question need not read all of them again.
 */
export class ColumnCache {
  private readonly websites = new Map<number, CachedWebsite>();

  constructor(private readonly shares: number) {}

  get bytes(): number {
    return [...this.websites.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The website that is asked about, until the next one is. It is read anew where asked values were merged. */
  website(websiteId: number, asked: Values[]): KnownWebsite {
    const known = this.websites.get(websiteId);
    const isWhole = known && !asked.some((values) => known.values.isFull(values));
    const website = isWhole ? known : new CachedWebsite();
    website.values.trim();
    this.websites.delete(websiteId);
    this.websites.set(websiteId, website);
    return website;
  }

  /** Takes a day out, so that it can be read on. */
  take(websiteId: number, day: number): CachedDay | undefined {
    return this.websites.get(websiteId)!.remove(day);
  }

  /** Keeps a day of a website that is still known as it was, where there is room, or where other days give way. */
  keep(websiteId: number, known: KnownWebsite, cached: CachedDay, asked: Span): void {
    if (this.websites.get(websiteId) !== known) return;
    const needed = this.bytes + bytesOf(cached) - this.maxBytes;
    if (this.madeRoom(websiteId, needed, asked)) this.websites.get(websiteId)!.set(cached);
  }

  /** Texts grow while days are read. */
  trim(websiteId: number, asked: Span): void {
    if (!this.madeRoom(websiteId, this.bytes - this.maxBytes, asked)) this.websites.delete(websiteId);
  }

  private get maxBytes(): number {
    return bytesFor('columns') / this.shares;
  }

  private madeRoom(websiteId: number, needed: number, asked: Span): boolean {
    let missing = needed;
    for (const [id, { bytes }] of this.websites) {
      if (missing <= 0) return true;
      if (id === websiteId) continue;
      this.websites.delete(id);
      missing -= bytes;
    }
    const own = this.websites.get(websiteId)!;
    for (const [day, cached] of own.days) {
      if (missing <= 0) return true;
      if (day >= asked.from && day <= asked.to) continue;
      own.remove(day);
      missing -= bytesOf(cached);
    }
    return missing <= 0;
  }
}
