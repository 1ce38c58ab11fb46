import { yieldIfNeeded } from '../../common/yield-if-needed';
import { CodeList, unpacked } from '../code-list';
import { CodesAmong } from '../codes-among';
import type { ColumnCodes } from '../column-codes';
import type { ColumnName } from '../hit-columns';
import { NOT_SET, type TextCodes } from '../text-codes';
import type { HitColumns } from './batch';
import type { HitRange } from './hit-buffer';

/** One column of hits that come in the order of acceptance, where `accepted` says of each place which hit stands there. */
export async function inOrderOfHits(
  pieces: AsyncGenerator<{ hits: HitColumns; range: HitRange }>,
  name: ColumnName,
  texts: TextCodes,
  accepted: Uint32Array,
  check: (hits: number) => void,
): Promise<ColumnCodes> {
  const codes = new CodeList();
  let first = 0;
  for await (const { hits, range } of pieces) {
    putColumn(codes, hits, name, texts, first - range.from, range);
    first += range.before - range.from;
    check(first);
    await yieldIfNeeded();
  }
  return { rows: codes.packed(accepted.length, accepted), codeOf: undefined };
}

function putColumn(
  codes: CodeList,
  hits: HitColumns,
  name: ColumnName,
  texts: TextCodes,
  first: number,
  { from, before }: HitRange,
): void {
  const own = hits.codes?.(name) ?? hits.texts(name);
  if (!own) return;
  const codeOf = own.texts === texts ? undefined : new CodesAmong(texts, own.texts);
  const textOf = unpacked(own.rows, hits.hits);
  for (let hit = from; hit < before; hit++) {
    const text = textOf[hit]!;
    if (text !== NOT_SET) codes.put(first + hit, codeOf ? codeOf.of(text) : text);
  }
}
