import { DIMENSIONS, STAT_NAMES, type StatName } from '../../hits/stat-names';
import type { RollupField } from '../../hits/fields';

/** The names, by how their values are counted from columns. */
export type NameOf = {
  /** Page views or visitors, by day. */
  days: 'pageview' | 'visitor';
  /** Hits with a value. */
  hits: RollupField<'hit'>;
  /** Visitors, once for each of their values. */
  values: RollupField<'acquisition'>;
  /** Visitors, by their first hit. */
  visitors: RollupField<'visitor'>;
};

/** The names that are counted from hits. */
export type CountedName = Exclude<StatName, 'dropped'>;
/** The names whose values are texts of a column. */
export type TextName = RollupField;

export const COUNTED_NAMES = STAT_NAMES.filter((name): name is CountedName => name !== 'dropped');
export const HIT_NAMES = textNamesPer('hit') as NameOf['hits'][];
export const VISITOR_NAMES = textNamesPer('visitor') as NameOf['visitors'][];
export const VALUE_NAMES = textNamesPer('visitor and value') as NameOf['values'][];
export const TEXT_NAMES: readonly TextName[] = [...HIT_NAMES, ...VISITOR_NAMES, ...VALUE_NAMES];

/** The value of visitors whose first hit has none. Undefined if they are not counted. */
export function valueOfNone(name: NameOf['values']): string | undefined {
  return DIMENSIONS[name].none;
}

function textNamesPer(per: 'hit' | 'visitor' | 'visitor and value'): CountedName[] {
  return COUNTED_NAMES.filter((name) => DIMENSIONS[name].per === per && !DIMENSIONS[name].days);
}
