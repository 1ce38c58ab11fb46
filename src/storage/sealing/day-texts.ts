import { type ColumnName, COLUMN_NAMES } from '../hit-columns';
import { Room, TextCodes, WebsiteTexts, UNBOUNDED } from '../encoding/text-codes';

type Texts = Record<ColumnName, TextCodes>;

/**
 * The texts of a day that is sealed. As long as they fit into memory their codes stand for them; those of a column that
 * takes too much, like one that is another one in each hit, go with their hits from then on.
 */
export class DayTexts {
  private readonly shared = new WebsiteTexts(Infinity);
  readonly withTexts = new Set<ColumnName>();

  constructor(private readonly maxBytes: number) {}

  get isFull(): boolean {
    return this.growing().reduce((sum, name) => sum + this.shared.of[name].bytes, 0) > this.maxBytes;
  }

  /** Those that codes stand for. */
  get known(): Texts {
    return this.shared.of;
  }

  /** For some hits, or a partition of them. */
  ofSome(): WebsiteTexts {
    const room = new Room(Infinity);
    const own = Array.from(this.withTexts, (name) => [name, new TextCodes(room)] as const);
    return new WebsiteTexts(Infinity, UNBOUNDED, { ...this.shared.of, ...Object.fromEntries(own) });
  }

  /** The columns that take most are known no further. */
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
