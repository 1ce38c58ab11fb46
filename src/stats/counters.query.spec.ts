import { DataSource } from 'typeorm';
import { matchingQuery } from '../storage/dictionary.query';
import { day } from '../validation/parsers';
import { segmentsQuery } from './counters.query';
import { planRange } from './range-plan';

const { manager } = new DataSource({ type: 'better-sqlite3', database: ':memory:' });
const counters = { websiteId: 7, name: 3 };

it('binds what comes from outside', () => {
  const search = `'; DROP TABLE stat_values; --`;
  const ids = { from: 0, to: 99 };
  const query = matchingQuery(manager, counters, ids, search);
  expect(query.getQuery()).not.toContain('DROP');
  expect(query.getParameters()).toEqual({ ...counters, ...ids, search: Buffer.from(search) });
});

it('asks for whole months, and for days at the edges alone', () => {
  const range = { from: day('2026-01-15'), to: day('2026-03-02') };
  const query = segmentsQuery(manager, counters, planRange(range, day('2026-04-01')), 1024);
  const [january, february, march] = [day('2026-01-01'), day('2026-02-01'), day('2026-03-01')];
  expect(query.getParameters()).toEqual({
    ...counters,
    ...{ month0: january, from0: range.from, to0: february - 1 },
    ...{ month1: march, from1: march, to1: range.to },
    ...{ firstMonth: february, lastMonth: march - 1 },
  });
  const sql = query.getQuery();
  for (const days of ['0', '1'])
    expect(sql).toContain(
      `(segment.span = 1 AND segment.day BETWEEN :month${days} AND :to${days} AND segment.last_day >= :from${days})`,
    );
  expect(sql).toContain('(segment.span = 2 AND segment.day BETWEEN :firstMonth AND :lastMonth)');
});
