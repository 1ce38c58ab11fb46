import { inSteps } from '../../common/time/steps';
import type { Sums } from '../../storage/sums';
import { arranged, weightsOf } from './ranking';
import type { CountedEntry, Order } from './snapshot';
import type { NameValues } from './name-values';
import type { Pause } from './value-order';

const PIECE = 1000;
/** Two pieces as rows, as text and as what waits to be sent. */
const BYTES_OF_PIECES = 1024 * 1024;

/** What an export keeps in memory: counts, perhaps those of another range, their weights, the order of the codes, the values. */
export function bytesOfWhole({ counts }: Sums, values: NameValues): number {
  return 4 * counts.byteLength + values.bytes + BYTES_OF_PIECES;
}

/** All entries of some sums, in pieces. What they are of stays in memory, so a slow client keeps no snapshot open. */
export async function* wholeInOrder(
  sums: Sums,
  values: NameValues,
  { by, direction }: Order,
  pause: Pause,
): AsyncGenerator<CountedEntry[]> {
  const codes = sums.codes();
  const whole = { skip: 0, take: codes.length, direction: by === 'value' ? direction : ('asc' as const) };
  const byValue = await values.slice(codes, whole, pause);
  const ordered =
    by === 'value'
      ? byValue
      : await inSteps(arranged(Uint32Array.from(byValue), weightsOf(sums.counts, direction)), pause);
  for (let from = 0; from < ordered.length; from += PIECE)
    yield Array.from(ordered.slice(from, from + PIECE), (code) => ({
      code,
      value: values.textOf(code),
      count: sums.counts[code]!,
    }));
}
