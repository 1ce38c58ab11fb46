import { dayText } from '../../engine/ground/time/days';
import { DIMENSIONS } from '../../engine/hits/stat-names';
import type { Hit } from '../../engine/hits/hit';
import { COLUMNS } from '../../engine/hits/hit-columns';
import type { CountedName } from '../../engine/columns/rollups/counted-names';
import { OTHER } from '../../engine/hits/rules/value-limits';

/** The counts of a name's values on a day, hit by hit, with a limit on the number of values. */
export function countedOneByOne(
  hits: readonly Hit[],
  name: CountedName,
  maxValues = Infinity,
): Record<string, number> {
  const { none } = DIMENSIONS[name];
  const known = new Set(none === undefined ? [] : [none]);
  const counts: Record<string, number> = {};
  for (const value of countedValues(hits, name)) {
    const text = Buffer.from(value).toString();
    const counted = known.size < maxValues || known.has(text) ? text : OTHER;
    known.add(counted);
    counts[counted] = (counts[counted] ?? 0) + 1;
  }
  return counts;
}

function* countedValues(hits: readonly Hit[], name: CountedName): Generator<string> {
  const { per, none } = DIMENSIONS[name];
  const seen = new Set<string>(['']);
  const isNew = (key: string) => !seen.has(key) && seen.add(key).has(key);
  for (const hit of hits) {
    const own = valueOf(hit, name);
    const isFirst = isNew(hit.visitor);
    const value = per === 'visitor and value' && isFirst ? (own ?? none ?? null) : own;
    const isCounted = {
      hit: true,
      visitor: isFirst,
      'visitor and value': hit.visitor !== '' && isNew(`${hit.visitor} ${value}`),
      'dropped event': false,
    };
    if (value !== null && isCounted[per]) yield value;
  }
}

function valueOf(hit: Hit, name: CountedName): string | null {
  if (hit.event !== null && (name === 'pageview' || name === 'page')) return null;
  return name === 'pageview' || name === 'visitor' ? dayText(hit.day) : COLUMNS[name].value(hit);
}
