import { dropLabel, DROP_REASONS } from './events/dropped-events';
import { countedField, type CountedUnit, ROLLUP_FIELDS, type RollupField } from './fields';

/** The fourteen names that are counted from hits, and `dropped`. */
export type StatName = RollupField | 'pageview' | 'visitor' | 'dropped';

/**
 * What an entry counts: every hit with a value; a visitor's first hit of the day; or each visitor of the day once for
 * each value. In the last case, `none` is the value of visitors whose first hit has none. Dropped events leave no hit,
 * so they are counted at acceptance.
 */
type Counting =
  | { per: 'hit' | 'visitor' | 'dropped event'; none?: undefined }
  | { per: 'visitor and value'; none?: string };

interface Wording {
  /** A value in readable words. */
  label: (value: string) => string;
}

interface Description {
  /** Identifies the name in the tables. A code is never reused. */
  code: number;
  counts: CountedUnit;
  explanation: string;
  /** Its values are days. */
  days?: true;
}

type Dimension = Description & Counting & Wording;

const plain = (value: string) => value;
const PER = { hit: 'hit', visitor: 'visitor', acquisition: 'visitor and value' } as const;

function dimensionOf(name: RollupField): Dimension {
  const { level, rollup, ofDirect: none, label = plain, counts, explanation } = countedField(name);
  const counting = level === 'acquisition' ? { per: PER[level], none } : { per: PER[level] };
  return { code: rollup!, counts, explanation, label, ...counting };
}

/** The properties of each name: its code, what it counts, and the wording of its values. */
export const DIMENSIONS = {
  ...(Object.fromEntries(ROLLUP_FIELDS.map((name) => [name, dimensionOf(name)])) as Record<
    RollupField,
    Dimension
  >),
  pageview: {
    code: 1,
    counts: 'pageviews',
    per: 'hit',
    label: plain,
    days: true,
    explanation: 'Page views of a day.',
  },
  visitor: {
    code: 2,
    counts: 'visitors',
    per: 'visitor',
    label: plain,
    days: true,
    explanation: 'Unique visitors of a day.',
  },
  dropped: {
    code: 15,
    counts: 'events',
    per: 'dropped event',
    label: dropLabel,
    explanation: `Events that were not counted, by the reason: ${Object.entries(DROP_REASONS)
      .map(([reason, { explanation }]) => (explanation ? `${reason} (${explanation})` : reason))
      .join(', ')}.`,
  },
} as Record<StatName, Dimension>;

export const STAT_NAMES = (Object.keys(DIMENSIONS) as StatName[]).sort();

const NAMES = new Map(STAT_NAMES.map((name) => [DIMENSIONS[name].code, name]));

export function statNameWithCode(code: number): StatName {
  return NAMES.get(code)!;
}
