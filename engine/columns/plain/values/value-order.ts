import type { DistinctTexts } from '../../rollups/texts/distinct-texts';

/** Lets other work run between two steps, or ends the work by throwing. */
export type Pause = () => Promise<void>;

/** The number of texts that are sorted between two pauses. */
const TEXTS_OF_STEP = 20_000;

/**
 * All codes of a list in the byte order of their texts. The first codes may be in order already. Sorted runs, like
 * those of a day, are merged.
 */
export async function orderOf(
  texts: DistinctTexts,
  known: Uint32Array<ArrayBuffer>,
  pause: Pause,
): Promise<Uint32Array<ArrayBuffer>> {
  if (known.length === texts.size) return known;
  let from = new Uint32Array(texts.size);
  from.set(known);
  for (let code = known.length; code < from.length; code++) from[code] = code;
  let into = new Uint32Array(texts.size);
  let ends = await runsOf(texts, known.length, pause);
  while (ends.length > 1) {
    const merged: number[] = [];
    for (let run = 0; run < ends.length; run += 2) {
      const begin = run === 0 ? 0 : ends[run - 1]!;
      const [middle, end] = [ends[run]!, ends[run + 1] ?? ends[run]!];
      await merge(texts, from, into, { begin, middle, end }, pause);
      merged.push(end);
    }
    [from, into, ends] = [into, from, merged];
  }
  return from;
}

/** The end of each sorted run. */
async function runsOf(texts: DistinctTexts, known: number, pause: Pause): Promise<number[]> {
  const ends = known > 0 ? [known] : [];
  for (let code = known + 1; code < texts.size; code++) {
    if (texts.compare(code - 1, code) > 0) ends.push(code);
    if (code % TEXTS_OF_STEP === 0) await pause();
  }
  ends.push(texts.size);
  return ends;
}

async function merge(
  texts: DistinctTexts,
  from: Uint32Array,
  into: Uint32Array,
  { begin, middle, end }: { begin: number; middle: number; end: number },
  pause: Pause,
): Promise<void> {
  let [one, other] = [begin, middle];
  for (let next = begin; next < end; next++) {
    const isOne = other >= end || (one < middle && texts.compare(from[one]!, from[other]!) <= 0);
    into[next] = isOne ? from[one++]! : from[other++]!;
    if (next % TEXTS_OF_STEP === 0) await pause();
  }
}
