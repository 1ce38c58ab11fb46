import type { WebsiteTexts } from '../hits/codes/text-codes';
import { type HitBlock, leastOf } from '../hits/hit-block';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from '../hits/hit-columns';
import { IS_PASSIVE } from '../hits/hit-columns';

const UNITS = 10n ** 12n;

/** A row of `hits`, as the database returns it. */
export type StoredRow = Record<string, string | number | null>;

/** The hits of consecutive rows of a day. A visitor has all rows among them. */
export function blockOfRows(rows: readonly StoredRow[], { of }: WebsiteTexts): HitBlock {
  const firsts: StoredRow[] = [];
  const begins: number[] = [];
  for (const [hit, row] of rows.entries())
    if (firsts.at(-1)?.visitor !== row.visitor) {
      firsts.push(row);
      begins.push(hit);
    }
  const at = Uint32Array.from(rows, (row) => Number(row.at));
  const codes = COLUMN_NAMES.map((name) => {
    const own = COLUMNS[name].of === 'hit' ? rows : firsts;
    const list = Uint32Array.from(own, (row) => of[name].codeOf(textIn(row, name)));
    return [name, { rows: list, codeOf: undefined }];
  });
  const [hits, visitors] = [rows.length, firsts.length];
  const day = Number(rows[0]!.day);
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
