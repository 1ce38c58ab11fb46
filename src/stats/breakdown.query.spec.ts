import { DataSource } from 'typeorm';
import { entriesQuery, sumsQuery, totalsQuery } from './breakdown.query';

const { manager } = new DataSource({ type: 'better-sqlite3', database: ':memory:' });
const breakdown = { websiteId: 7, name: 3, from: 20_000, to: 20_030, alsoMatching: [] };

it('binds everything that comes from outside', () => {
  const search = `'; DROP TABLE stat_values; --`;
  const [sql, parameters] = sumsQuery(manager, { ...breakdown, search })
    .select('1')
    .getQueryAndParameters();
  expect(sql).not.toContain('DROP');
  expect(parameters.filter((parameter) => Buffer.isBuffer(parameter))).toEqual([
    Buffer.from(search),
    Buffer.from(search),
  ]);
});

it('joins the texts only after the days were added up', () => {
  const sql = totalsQuery(manager, breakdown).getQuery();
  expect(sql.indexOf('GROUP BY')).toBeLessThan(sql.indexOf('INNER JOIN'));
  expect(sql).not.toContain('INSTR');
});

it('matches a label that only the code knows by its ids', () => {
  const sql = totalsQuery(manager, { ...breakdown, search: 'united', alsoMatching: [4, 9] }).getQuery();
  expect(sql).toContain('entry.value_id IN (4, 9)');
});

it('orders totally, whatever the order', () => {
  const orderOf = (by: 'count' | 'value', direction: 'ASC' | 'DESC') =>
    entriesQuery(manager, breakdown, { by, direction }).getQuery().split('ORDER BY ')[1];
  expect(orderOf('count', 'DESC')).toBe('sums.hits DESC, entry.value ASC');
  expect(orderOf('count', 'ASC')).toBe('sums.hits ASC, entry.value ASC');
  expect(orderOf('value', 'DESC')).toBe('entry.value DESC');
});
