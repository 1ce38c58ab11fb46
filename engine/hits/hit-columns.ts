import { FIELD_NAMES, FIELDS, type FieldName, type Property } from './fields';
import type { Hit } from './hit';

interface Column {
  /** The number of the column in the tables. */
  code: number;
  /** Tells whether each hit has a value, or each visitor of a day. A visitor has the value of the first accepted hit. */
  of: 'hit' | 'visitor';
  value: (hit: Hit) => string | null;
  /** Sets the value of a hit. */
  put: (hit: Hit, value: string | null) => void;
}

/** The only text of the column `passive`. */
export const IS_PASSIVE = 'passive';

type Text = Pick<Column, 'value' | 'put'>;

/** Fields that are no texts. */
const WRITTEN: Partial<Record<FieldName, Text>> = {
  /** The list of properties as JSON. */
  properties: {
    value: ({ properties }) => properties && JSON.stringify(properties),
    put: (hit, value) => {
      hit.properties = value === null ? null : (JSON.parse(value) as Property[]);
    },
  },
  passive: {
    value: ({ isPassive }) => (isPassive ? IS_PASSIVE : null),
    put: (hit, value) => {
      hit.isPassive = value !== null;
    },
  },
};

type TextField = { [F in keyof Hit]: Hit[F] extends string | null ? F : never }[keyof Hit];

function columnOf(name: FieldName): Column {
  const { code, level, key } = FIELDS[name];
  const field = key as TextField;
  return {
    code,
    of: level === 'visitor' ? 'visitor' : 'hit',
    value: (hit) => hit[field],
    put: (hit: Pick<Hit, TextField>, value) => {
      hit[field] = value as never;
    },
    ...WRITTEN[name],
  };
}

export type ColumnName = FieldName;
export const COLUMN_NAMES: ColumnName[] = [...FIELD_NAMES].sort(
  (one, other) => FIELDS[one].code - FIELDS[other].code,
);
export const COLUMNS = Object.fromEntries(COLUMN_NAMES.map((name) => [name, columnOf(name)])) as Record<
  ColumnName,
  Column
>;
export const COLUMNS_OF_HITS = COLUMN_NAMES.filter((name) => COLUMNS[name].of === 'hit');
export const COLUMNS_OF_VISITORS = COLUMN_NAMES.filter((name) => COLUMNS[name].of === 'visitor');

/** The number of the column with the times of hits. */
export const TIMES = 2;

/** The number under which a column is stored. Passive events are stored with the times, because visits need both. */
export function kindOf(name: ColumnName): number {
  return name === 'passive' ? TIMES : COLUMNS[name].code;
}
