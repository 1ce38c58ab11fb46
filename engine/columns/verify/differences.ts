import { dayText } from '../../ground/time/days';
import type { StatName } from '../../hits/stat-names';
import type { NameCounts } from '../rollups/limits/other-values';
import { OTHER } from '../../hits/rules/value-limits';
import { DistinctTexts } from '../rollups/texts/distinct-texts';
import { Sums } from '../../hits/sums';

/** The counts of a span by name, with the texts of their codes. */
export type CountsByName = Map<StatName, NameCounts>;

/** A value whose count in a rollup differs from that of the hits. */
export interface Difference {
  /** The day, or the first day of the month. */
  day: string;
  name: StatName;
  value: string;
  rolledUp: number;
  inHits: number;
}

/** A value whose count differs from that of a statement of SQL. */
export interface OtherCount extends Pick<Difference, 'day' | 'name' | 'value'> {
  inHits: number;
  inSql: number;
}

export function* otherCountsOf(
  own: NameCounts,
  inSql: ReadonlyMap<string, number>,
): Generator<Omit<OtherCount, 'day'>> {
  const inHits = countsByValue(own);
  for (const value of new Set([...inHits.keys(), ...inSql.keys()])) {
    const [found, other] = [inHits.get(value) ?? 0, inSql.get(value) ?? 0];
    if (found !== other) yield { name: own.name, value, inHits: found, inSql: other };
  }
}

/** Of the names of `hasFurtherOthers`, the rollup may count further values as `(other)`. */
export function* differencesBetween(
  rolledUp: CountsByName,
  inHits: CountsByName,
  hasFurtherOthers: (name: StatName) => boolean,
): Generator<Omit<Difference, 'day'>> {
  for (const name of new Set([...rolledUp.keys(), ...inHits.keys()])) {
    const [own, other] = [countsByValue(rolledUp.get(name)), countsByValue(inHits.get(name))];
    if (hasFurtherOthers(name)) addToOthers(other, own);
    for (const value of new Set([...own.keys(), ...other.keys()])) {
      const [found, wanted] = [own.get(value) ?? 0, other.get(value) ?? 0];
      if (found !== wanted) yield { name, value, rolledUp: found, inHits: wanted };
    }
  }
}

export function addCountsByName(all: CountsByName, more: CountsByName): void {
  for (const [name, { texts, counts }] of more) {
    const known = all.get(name) ?? { name, texts: texts && new DistinctTexts(), counts: new Float64Array(0) };
    const sums = new Sums(known.counts);
    for (let code = 0; code < counts.length; code++)
      if (counts[code] !== 0) sums.add(texts ? known.texts!.codeOf(texts.textOf(code)) : code, counts[code]!);
    all.set(name, { ...known, counts: sums.counts });
  }
}

function countsByValue(of: NameCounts | undefined): Map<string, number> {
  const values = new Map<string, number>();
  if (!of) return values;
  const { texts, counts } = of;
  for (let code = 0; code < counts.length; code++)
    if (counts[code] !== 0) values.set(valueOf(texts, code), counts[code]!);
  return values;
}

/** Adds the values that a rollup does not have to `(other)`. */
function addToOthers(wanted: Map<string, number>, rolledUp: Map<string, number>): void {
  for (const [value, count] of [...wanted]) {
    if (rolledUp.has(value)) continue;
    wanted.delete(value);
    wanted.set(OTHER, (wanted.get(OTHER) ?? 0) + count);
  }
}

function valueOf(texts: DistinctTexts | undefined, code: number): string {
  if (!texts) return dayText(code);
  return code < texts.size ? texts.textOf(code) : `code ${code}`;
}
