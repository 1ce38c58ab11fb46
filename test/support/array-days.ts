import { type ColumnCodes, websiteCodes } from '../../engine/hits/codes/column-codes';
import { WebsiteTexts } from '../../engine/hits/codes/text-codes';
import type { DayOfHits, HitBlock, HitBlocks } from '../../engine/hits/hit-block';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from '../../engine/hits/hit-columns';
import type { DayKey, DayStore } from '../../engine/port';

type Texts = Partial<Record<ColumnName, string | null>>;

interface Visitor {
  isKnown: boolean;
  isDirect: boolean;
  texts: Texts;
  hits: { at: number; texts: Texts }[];
}

/** Days as lists of visitors with their hits, in memory. */
export class ArrayDays implements DayStore {
  private readonly days = new Map<string, Visitor[]>();

  async put(key: DayKey, hits: HitBlocks): Promise<void> {
    const some = (await hits.days()).filter((own) => own.day === key.day);
    const visitors: Visitor[] = [];
    for await (const block of hits.all(some)) visitors.push(...visitorsIn(block, hits.texts));
    this.days.set(JSON.stringify(key), visitors);
  }

  drop(keys: readonly DayKey[]): Promise<void> {
    for (const key of keys) this.days.delete(JSON.stringify(key));
    return Promise.resolve();
  }

  read<T>(keys: readonly DayKey[], work: (hits: HitBlocks) => Promise<T>): Promise<T> {
    const visitorsOf = (day: number) =>
      this.days.get(JSON.stringify(keys.find((key) => key.day === day))) ?? [];
    return work(
      new ArrayHits(
        keys.map(({ day }) => day),
        visitorsOf,
      ),
    );
  }
}

class ArrayHits implements HitBlocks {
  readonly texts = new WebsiteTexts(Infinity);

  constructor(
    private readonly stored: readonly number[],
    private readonly visitorsOf: (day: number) => Visitor[],
  ) {}

  days(): Promise<DayOfHits[]> {
    const days = this.stored.map((day) => {
      const hits = this.visitorsOf(day).reduce((sum, visitor) => sum + visitor.hits.length, 0);
      return { day, hits, version: 0, isSealed: true };
    });
    return Promise.resolve(days.filter(({ hits }) => hits > 0));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- other stores wait
  async *all(days: readonly DayOfHits[]): AsyncGenerator<HitBlock> {
    for (const { day } of days) yield blockOf(day, this.visitorsOf(day), this.texts);
  }
}

function visitorsIn(block: HitBlock, { of }: WebsiteTexts): Visitor[] {
  const { begins, isKnown, isDirect, at } = block;
  const columns = Object.entries(block.codes) as [ColumnName, ColumnCodes][];
  const codes = columns.map(([name, column]) => {
    const isOfHit = COLUMNS[name].of === 'hit';
    return { name, isOfHit, list: websiteCodes(column, isOfHit ? block.hits : block.visitors) };
  });
  const textsAt = (place: number, ofHit: boolean): Texts =>
    Object.fromEntries(
      codes
        .filter(({ isOfHit }) => isOfHit === ofHit)
        .map(({ name, list }) => [name, of[name].texts[list[place]!]!]),
    );
  return Array.from({ length: block.visitors }, (_, visitor) => ({
    isKnown: isKnown[visitor] === 1,
    isDirect: isDirect[visitor] === 1,
    texts: textsAt(visitor, false),
    hits: Array.from({ length: begins[visitor + 1]! - begins[visitor]! }, (_, index) => {
      const hit = begins[visitor]! + index;
      return { at: at[hit]!, texts: textsAt(hit, true) };
    }),
  }));
}

function blockOf(day: number, visitors: Visitor[], { of }: WebsiteTexts): HitBlock {
  const hits = visitors.flatMap((visitor) => visitor.hits);
  const begins = new Uint32Array(visitors.length + 1);
  for (const [index, visitor] of visitors.entries()) begins[index + 1] = begins[index]! + visitor.hits.length;
  const at = Uint32Array.from(hits, (hit) => hit.at);
  const codes = COLUMN_NAMES.map((name) => {
    const rows: { texts: Texts }[] = COLUMNS[name].of === 'hit' ? hits : visitors;
    const own = Uint32Array.from(rows, ({ texts }) => of[name].codeOf(texts[name] ?? null));
    return [name, { rows: own, codeOf: undefined }];
  });
  const begin = at.reduce((least, moment) => Math.min(least, moment), Infinity);
  return {
    days: [{ day, begin, firstVisitor: 0, firstHit: 0, visitors: visitors.length, hits: hits.length }],
    hits: hits.length,
    visitors: visitors.length,
    begins,
    isKnown: Uint8Array.from(visitors, ({ isKnown }) => Number(isKnown)),
    isDirect: Uint8Array.from(visitors, ({ isDirect }) => Number(isDirect)),
    at,
    codes: Object.fromEntries(codes) as HitBlock['codes'],
  };
}
