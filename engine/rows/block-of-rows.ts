import { WebsiteTexts } from '../hits/codes/text-codes';
import { type HitBlock, leastOf } from '../hits/hit-block';
import { type ColumnName, COLUMNS, IS_PASSIVE } from '../hits/hit-columns';

const UNITS = 10n ** 12n;

/** A row of `hits`, as the database returns it. */
export type StoredRow = Record<string, string | number | null>;

/** The columns of `hits` for a block with some columns. */
export function columnsFor(names: readonly ColumnName[]): string[] {
  const ofNames = names.flatMap((name) => {
    if (name === 'passive') return ['is_passive'];
    return name === 'value' ? ['value_high', 'value_low'] : [name];
  });
  return ['visitor', 'place', 'at', 'is_known', 'is_direct', ...ofNames];
}

/** Grows by the rows of a day in their order, as numbers: a visitor may have very many hits. */
export class BlockOfRows {
  readonly texts: WebsiteTexts;
  private readonly at: number[] = [];
  private readonly begins: number[] = [];
  private readonly isKnown: number[] = [];
  private readonly isDirect: number[] = [];
  private readonly codes: readonly number[][];
  private visitor: StoredRow[string] | undefined;

  constructor(
    private readonly names: readonly ColumnName[],
    texts = new WebsiteTexts(Infinity),
  ) {
    this.texts = texts;
    this.codes = names.map(() => []);
  }

  get hits(): number {
    return this.at.length;
  }

  /** Tells whether a row is the first one of another visitor. */
  endsBefore({ visitor }: StoredRow): boolean {
    return this.hits > 0 && visitor !== this.visitor;
  }

  add(row: StoredRow): void {
    const isFirst = row.visitor !== this.visitor;
    if (isFirst) {
      this.visitor = row.visitor;
      this.begins.push(this.hits);
      this.isKnown.push(Number(row.is_known));
      this.isDirect.push(Number(row.is_direct));
    }
    this.at.push(Number(row.at));
    for (const [index, name] of this.names.entries())
      if (isFirst || COLUMNS[name].of === 'hit')
        this.codes[index]!.push(this.texts.of[name].codeOf(textIn(row, name)));
  }

  block(day: number): HitBlock {
    const { hits, names } = this;
    const at = Uint32Array.from(this.at);
    const visitors = this.begins.length;
    const codes = names.map((name, index) => [
      name,
      { rows: Uint32Array.from(this.codes[index]!), codeOf: undefined },
    ]);
    return {
      days: [{ day, begin: leastOf(at), firstVisitor: 0, firstHit: 0, visitors, hits }],
      hits,
      visitors,
      begins: Uint32Array.from([...this.begins, hits]),
      isKnown: Uint8Array.from(this.isKnown),
      isDirect: Uint8Array.from(this.isDirect),
      at,
      codes: Object.fromEntries(codes) as HitBlock['codes'],
    };
  }
}

function textIn(row: StoredRow, name: ColumnName): string | null {
  if (name === 'passive') return Number(row.is_passive) === 1 ? IS_PASSIVE : null;
  if (name !== 'value') return row[name] as string | null;
  return row.value_high === null ? null : String(BigInt(row.value_high!) * UNITS + BigInt(row.value_low!));
}
