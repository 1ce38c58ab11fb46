import { type ColumnName, COLUMN_NAMES } from '../../hits/hit-columns';
import { Room, TextCodes, WebsiteTexts, UNBOUNDED } from '../../hits/codes/text-codes';

type Texts = Record<ColumnName, TextCodes>;

/**
 * The texts of a day during sealing. While they fit into memory, hits refer to them by code. If a column takes too
 * much, for example with a new text in each hit, its further texts are stored with their hits.
 */
export class DayTexts {
  private readonly shared = new WebsiteTexts(Infinity);
  readonly withTexts = new Set<ColumnName>();

  constructor(private readonly maxBytes: number) {}

  get isFull(): boolean {
    return this.growing().reduce((sum, name) => sum + this.shared.of[name].bytes, 0) > this.maxBytes;
  }

  /** The texts that codes refer to. */
  get known(): Texts {
    return this.shared.of;
  }

  /** The texts for some hits, or for a partition of them. */
  ofSome(): WebsiteTexts {
    const room = new Room(Infinity);
    const own = Array.from(this.withTexts, (name) => [name, new TextCodes(room)] as const);
    return new WebsiteTexts(Infinity, UNBOUNDED, { ...this.shared.of, ...Object.fromEntries(own) });
  }

  /** Stops adding texts of the largest columns. */
  makeRoom(): void {
    while (this.isFull) {
      const sizes = this.growing().map((name) => ({ name, bytes: this.shared.of[name].bytes }));
      this.withTexts.add(sizes.reduce((most, own) => (own.bytes > most.bytes ? own : most)).name);
    }
  }

  private growing(): ColumnName[] {
    return COLUMN_NAMES.filter((name) => !this.withTexts.has(name));
  }
}
