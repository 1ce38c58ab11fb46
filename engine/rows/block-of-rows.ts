import type { WebsiteTexts } from '../hits/codes/text-codes';
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

/** The hits of consecutive rows of a day. A visitor has all rows among them. */
export function blockOfRows(
  day: number,
  rows: readonly StoredRow[],
  names: readonly ColumnName[],
  { of }: WebsiteTexts,
): HitBlock {
  const firsts: StoredRow[] = [];
  const begins: number[] = [];
  for (const [hit, row] of rows.entries())
    if (firsts.at(-1)?.visitor !== row.visitor) {
      firsts.push(row);
      begins.push(hit);
    }
  const at = Uint32Array.from(rows, (row) => Number(row.at));
  const codes = names.map((name) => {
    const own = COLUMNS[name].of === 'hit' ? rows : firsts;
    const list = Uint32Array.from(own, (row) => of[name].codeOf(textIn(row, name)));
    return [name, { rows: list, codeOf: undefined }];
  });
  const [hits, visitors] = [rows.length, firsts.length];
  return {
    days: [{ day, begin: leastOf(at), firstVisitor: 0, firstHit: 0, visitors, hits }],
    hits,
    visitors,
    begins: Uint32Array.of(...begins, hits),
    isKnown: Uint8Array.from(firsts, (row) => Number(row.is_known)),
    isDirect: Uint8Array.from(firsts, (row) => Number(row.is_direct)),
    at,
    codes: Object.fromEntries(codes) as HitBlock['codes'],
  };
}

function textIn(row: StoredRow, name: ColumnName): string | null {
  if (name === 'passive') return Number(row.is_passive) === 1 ? IS_PASSIVE : null;
  if (name !== 'value') return row[name] as string | null;
  return row.value_high === null ? null : String(BigInt(row.value_high!) * UNITS + BigInt(row.value_low!));
}
