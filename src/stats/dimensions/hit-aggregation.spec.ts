import { DataSource } from 'typeorm';
import { filterOf, type ResolvedFilter } from '../../../engine/questions/parse/filter';
import { FIXED_NAMES, type QueryName } from '../../../engine/questions/parse/names';
import { Zone } from '../../../engine/questions/plan/buckets';
import type { HitQuery } from '../../../engine/questions/plan/hit-query';
import { NotInSql } from './dimension';
import { aggregationsOf } from './hit-aggregation';
import { ROW_TABLES } from '../../hits/entities';

const source = new DataSource({ type: 'better-sqlite3', database: ':memory:', entities: ROW_TABLES });
beforeAll(() => source.initialize());
afterAll(() => source.destroy());

const range = { days: { from: 20_000, to: 20_030 } };
const HOSTILE = `'") OR 1 = 1 --`;

function written(dimensions: QueryName[], ...filters: ResolvedFilter[]) {
  const hitQuery: HitQuery = {
    range,
    previous: undefined,
    filter: filterOf(filters),
    dimensions,
    metrics: ['visitors', 'pageviews', 'visits'],
    fill: false,
    order: [],
    skip: 0,
    take: 10,
  };
  return aggregationsOf(source, hitQuery, range, new Zone('Europe/Berlin'));
}

const isWritten = (write: () => unknown) => {
  try {
    write();
    return true;
  } catch (error) {
    if (error instanceof NotInSql) return false;
    throw error;
  }
};

it('has a statement each for hits, visits and visitors, by every name but channels', () => {
  expect(FIXED_NAMES.filter((name) => !isWritten(() => written([name])))).toEqual(['channel']);
  expect(written(['page']).map(({ metrics }) => metrics)).toEqual([['pageviews'], ['visits'], ['visitors']]);
});

it('selects each column once, also by day', () => {
  for (const { sql } of written(['day', 'referrer'])) {
    const aliases = [
      ...(/SELECT DISTINCT (.*) FROM "hits"/.exec(sql)?.[1] ?? '').matchAll(/ AS "(\w+)"/g),
    ].map(([, alias]) => alias);
    expect(aliases).toEqual([...new Set(aliases)]);
  }
});

it('compares every name with values, but channels and hours', () => {
  const refused = FIXED_NAMES.filter((name) => !isWritten(() => written([], ['is', name, ['a', null]])));
  expect(refused.sort()).toEqual(['channel', 'hour', 'hour_of_day']);
});

it('leaves folded texts to the store, with a statement for the values to test', () => {
  const [first] = written(['page'], ['not', ['contains', `event_property:${HOSTILE}`, ['A']]]);
  const [tested] = first!.parameters.filter((own) => typeof own === 'object');
  expect(tested).toMatchObject({ test: 'contains', values: ['A'], parameters: [HOSTILE] });
  expect(tested!.sql).toContain('SELECT DISTINCT ((SELECT property.value FROM');
  expect(tested!.sql).not.toContain('1 = 1 --');
});

it('binds each value that a caller sends', () => {
  const filters: ResolvedFilter[] = [
    ['has_done', ['is', 'event', [HOSTILE]]],
    [
      'or',
      [
        ['is_not', 'referrer', [HOSTILE]],
        ['is', 'day', [HOSTILE]],
      ],
    ],
    ['is', `event_property:${HOSTILE}`, [HOSTILE]],
  ];
  for (const { sql, parameters } of written([`event_property:${HOSTILE}`, 'referrer'], ...filters)) {
    expect(sql).not.toContain('1 = 1 --');
    expect(parameters).toContain(HOSTILE);
    expect(sql.split('?')).toHaveLength(parameters.length + 1);
  }
});
