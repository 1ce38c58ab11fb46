import { yieldIfNeeded } from '../../common/time/yield-if-needed';
import { CodeList } from '../encoding/code-list';
import { putCodes } from '../encoding/codes-among';
import type { ColumnCodes } from '../encoding/column-codes';
import type { ColumnName } from '../hit-columns';
import type { TextCodes } from '../encoding/text-codes';
import type { HitColumns, HitRange } from '../batches/batch';

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
    const own = hits.codes?.(name) ?? hits.texts(name);
    if (own) putCodes(codes, own, texts, first, range);
    first += range.before - range.from;
    check(first);
    await yieldIfNeeded();
  }
  return { rows: codes.packed(accepted.length, accepted), codeOf: undefined };
}
