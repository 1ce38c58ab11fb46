import type { Hit, Property } from './hit';

interface Column {
  /** The number of the column in the tables. */
  code: number;
  /** Whether each hit has a value, or each visitor of a day. A visitor has the value of the first accepted hit. */
  of: 'hit' | 'visitor';
  value: (hit: Hit) => string | null;
  /** Sets the value of a hit. */
  put: (hit: Hit, value: string | null) => void;
}

type TextField = { [F in keyof Hit]: Hit[F] extends string | null ? F : never }[keyof Hit];

function column(of: Column['of'], code: number, field: TextField): Column {
  return {
    code,
    of,
    value: (hit) => hit[field],
    put: (hit: Pick<Hit, TextField>, value) => {
      hit[field] = value as never;
    },
  };
}

const ofHit = (code: number, field: TextField) => column('hit', code, field);
const ofVisitor = (code: number, field: TextField) => column('visitor', code, field);

/** The only text of the column `passive`. */
export const IS_PASSIVE = 'passive';

/** Everything that is stored of a hit, besides its moment and visitor. */
const ALL = {
  page: ofHit(11, 'page'),
  event: ofHit(12, 'event'),
  referrer: ofHit(13, 'referrer'),
  campaign: ofHit(14, 'campaign'),
  browser: ofVisitor(15, 'browser'),
  operating_system: ofVisitor(16, 'operatingSystem'),
  device: ofVisitor(17, 'device'),
  language: ofVisitor(18, 'language'),
  screen_resolution: ofVisitor(19, 'screen'),
  continent: ofVisitor(20, 'continent'),
  country: ofVisitor(21, 'country'),
  city: ofVisitor(22, 'city'),
  hostname: ofHit(23, 'hostname'),
  referrer_page: ofHit(24, 'referrerPage'),
  source: ofHit(25, 'source'),
  medium: ofHit(26, 'medium'),
  term: ofHit(27, 'term'),
  content: ofHit(28, 'content'),
  click_id: ofHit(29, 'clickId'),
  browser_version: ofVisitor(30, 'browserVersion'),
  operating_system_version: ofVisitor(31, 'operatingSystemVersion'),
  /** The list of properties as JSON. */
  properties: {
    code: 34,
    of: 'hit',
    value: ({ properties }) => properties && JSON.stringify(properties),
    put: (hit, value) => {
      hit.properties = value === null ? null : (JSON.parse(value) as Property[]);
    },
  },
  /** The digits of an integer of 1/10,000. */
  value: ofHit(32, 'value'),
  currency: ofHit(33, 'currency'),
  /** Set for passive events. */
  passive: {
    code: 35,
    of: 'hit',
    value: ({ isPassive }) => (isPassive ? IS_PASSIVE : null),
    put: (hit, value) => {
      hit.isPassive = value !== null;
    },
  },
} satisfies Record<string, Column>;

export type ColumnName = keyof typeof ALL;
export const COLUMNS: Record<ColumnName, Column> = ALL;
export const COLUMN_NAMES = Object.keys(ALL) as ColumnName[];
export const COLUMNS_OF_HITS = COLUMN_NAMES.filter((name) => COLUMNS[name].of === 'hit');
export const COLUMNS_OF_VISITORS = COLUMN_NAMES.filter((name) => COLUMNS[name].of === 'visitor');

/** The number of the column with the times of hits. */
export const TIMES = 2;

/** The number under which a column is stored. Passive events are stored with the times, because visits need both. */
export function kindOf(name: ColumnName): number {
  return name === 'passive' ? TIMES : COLUMNS[name].code;
}
