import { DIMENSIONS, STAT_NAMES, type StatName } from '../stat-names';
import type { ColumnName } from '../hit-columns';

/** What a name counts, by how its values stand in columns. */
export type NameOf = {
  /** Page views, or visitors, by day. */
  days: 'pageview' | 'visitor';
  /** Hits that have a value. */
  hits: 'page' | 'event';
  /** Visitors with a value for each of their values. */
  values: 'referrer' | 'campaign';
  /** Visitors by their first hit. */
  visitors: Exclude<CountedName, 'pageview' | 'visitor' | 'page' | 'event' | 'referrer' | 'campaign'>;
};

/** Names that are counted from hits. */
export type CountedName = Exclude<StatName, 'dropped'>;
/** Those whose values are texts of a column. */
export type TextName = Exclude<CountedName, NameOf['days']> & ColumnName;

export const COUNTED_NAMES = STAT_NAMES.filter((name): name is CountedName => name !== 'dropped');
export const HIT_NAMES = textNamesPer('hit') as NameOf['hits'][];
export const VISITOR_NAMES = textNamesPer('visitor') as NameOf['visitors'][];
export const VALUE_NAMES = textNamesPer('visitor and value') as NameOf['values'][];
export const TEXT_NAMES: readonly TextName[] = [...HIT_NAMES, ...VISITOR_NAMES, ...VALUE_NAMES];

/** The value of visitors whose first hit brings none; undefined where that counts nothing. */
export function valueOfNone(name: NameOf['values']): string | undefined {
  return DIMENSIONS[name].none;
}

function textNamesPer(per: 'hit' | 'visitor' | 'visitor and value'): CountedName[] {
  return COUNTED_NAMES.filter((name) => DIMENSIONS[name].per === per && !DIMENSIONS[name].days);
}
