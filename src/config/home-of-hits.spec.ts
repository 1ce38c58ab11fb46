import { homeOfHits } from './home-of-hits';

it('reads where the hits of old days move', () => {
  expect(homeOfHits('rows')).toBe('rows');
  expect(homeOfHits('clickhouse://me:p%40ss@ch.example:9000/stats?tls=1&table=old_hits')).toEqual({
    ...{ kind: 'clickhouse', host: 'ch.example', port: 9000, tls: true },
    ...{ user: 'me', password: 'p@ss', database: 'stats', table: 'old_hits' },
  });
  expect(homeOfHits('clickhouse://ch.example')).toMatchObject({
    ...{ port: 8123, user: 'default', password: '', database: 'default', table: 'milepost_hits' },
  });
  expect(homeOfHits('clickhouse://ch.example?tls=1')).toMatchObject({ port: 8443 });
});

it.each([
  ['clickhose://me:secret@ch.example', 'is neither "rows" nor an address'],
  ['clickhouse://', 'is neither "rows" nor an address'],
  ['clickhouse://me:%secret@ch.example', 'is neither "rows" nor an address'],
  ['mysql://me:secret@db.example/hits', 'not supported'],
  ['clickhouse://me:secret@ch.example/d?cluster=main', 'a cluster is not supported yet'],
  ['clickhouse://me:secret@ch.example/d?secret=1', 'a parameter that is not known'],
  ['clickhouse://me:secret@ch.example/d?tls=yes', '"tls" is neither 0 nor 1'],
  ['clickhouse://me:secret@ch.example/d-d', 'a database and a table have'],
  ['clickhouse://me:secret@ch.example/d?table=a;b', 'a database and a table have'],
])('refuses %s without its password', (text, message) => {
  expect(() => homeOfHits(text)).toThrow(message);
  expect(() => homeOfHits(text)).not.toThrow('secret');
});
