import { language } from '../../../shared/language/language';
import { wordsOf } from '../../../shared/language/value-labels';
import type { Entry } from '../../page-answer';

/** A region as it is drawn. */
export interface Region {
  label: string;
  /** Where it is called otherwise. */
  german?: string;
  /** What hits may call it, without what is written differently. */
  names: readonly string[];
  path: string;
  middle: readonly [x: number, y: number];
}

/** A row beside the map, with the values of all its names. */
export interface RegionRow {
  /** The place of the shape, or the value of a row without one. */
  key: string;
  label: string;
  count: number;
  values: string[];
}

export const labelOfRegion = ({ label, german }: Region) => (language === 'de' ? (german ?? label) : label);

/** Without accents and marks, which databases write differently. */
const folded = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Adds up what one shape stands for. Regions without a shape, and unknown ones, are rows as well. */
export function rowsOf(entries: readonly Entry[], drawn: readonly Region[]): RegionRow[] {
  const places = new Map(drawn.flatMap(({ names }, index) => names.map((name) => [name, index] as const)));
  const rows = new Map<string, RegionRow>();
  for (const { value, count } of entries) {
    const place = places.get(folded(wordsOf('region', value)));
    const key = place === undefined ? value : String(place);
    const row = rows.get(key) ?? {
      ...{ key, count: 0, values: [] },
      label: place === undefined ? wordsOf('region', value) : labelOfRegion(drawn[place]!),
    };
    rows.set(key, { ...row, count: row.count + count, values: [...row.values, value] });
  }
  return [...rows.values()].sort(
    (one, other) => other.count - one.count || (one.label < other.label ? -1 : 1),
  );
}
