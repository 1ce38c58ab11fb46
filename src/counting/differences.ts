import { isOfHits } from '../storage/dimensions';
import type { CountsByName } from '../storage/segment-store';
import { Sums } from '../storage/sums';

/** A value whose counter does not say what the archive says. */
export interface IdDifference {
  /** The code of the name. */
  name: number;
  id: number;
  counted: number;
  archived: number;
}

/**
 * What the archive says, worded as it was counted. Where a value was counted as `(other)`, because there were too many,
 * the archive has it under its own name: what a name's `(other)` counts beyond the archive is taken from the values
 * that lack it, from those with the highest numbers first, which got them last. What is not counted from hits stays.
 */
export function withOthers(
  counted: CountsByName,
  archived: CountsByName,
  otherIds: ReadonlyMap<number, number>,
): CountsByName {
  const notOfHits = [...counted].filter(([name]) => !isOfHits(name));
  return new Map([
    ...notOfHits,
    ...[...archived].map(([name, sums]): [number, Sums] => {
      const wanted = sums.copy();
      const other = otherIds.get(name);
      if (other !== undefined) creditOther(counted.get(name) ?? new Sums(), wanted, other);
      return [name, wanted];
    }),
  ]);
}

/** Compares counters with the archive. */
export function differencesOf(
  counted: CountsByName,
  archived: CountsByName,
  otherIds: ReadonlyMap<number, number>,
): IdDifference[] {
  const found: IdDifference[] = [];
  const allWanted = withOthers(counted, archived, otherIds);
  for (const name of new Set([...counted.keys(), ...archived.keys()])) {
    const own = counted.get(name) ?? new Sums();
    const wanted = allWanted.get(name) ?? new Sums();
    wanted.makeRoom(own.counts.length - 1);
    own.makeRoom(wanted.counts.length - 1);
    for (let id = 0; id < wanted.counts.length; id++)
      if (own.counts[id] !== wanted.counts[id])
        found.push({ name, id, counted: own.counts[id] ?? 0, archived: wanted.counts[id]! });
  }
  return found;
}

function creditOther(counted: Sums, wanted: Sums, other: number): void {
  counted.makeRoom(other);
  wanted.makeRoom(other);
  let left = counted.counts[other]! - wanted.counts[other]!;
  for (let id = wanted.counts.length - 1; left > 0 && id >= 0; id--) {
    const lacking = wanted.counts[id]! - (counted.counts[id] ?? 0);
    if (id === other || lacking <= 0) continue;
    const moved = Math.min(left, lacking);
    wanted.add(id, -moved);
    wanted.add(other, moved);
    left -= moved;
  }
}
