import { DataSource } from 'typeorm';
import { day } from '../common/parsers';
import { matchingQuery, segmentsQuery } from './counters.query';
import { coverOf } from './cover';

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
  const sql = segmentsQuery(manager, counters, coverOf(range, day('2026-04-01'))).getQuery();
  const [january, february, march] = [day('2026-01-01'), day('2026-02-01'), day('2026-03-01')];
  expect(sql).toContain(
    `(segment.span = 1 AND segment.day BETWEEN ${january} AND ${february - 1} AND segment.last_day >= ${range.from})`,
  );
  expect(sql).toContain(`segment.span = 1 AND segment.day BETWEEN ${march} AND ${range.to}`);
  expect(sql).toContain(`segment.span = 2 AND segment.day BETWEEN ${february} AND ${march - 1}`);
});
