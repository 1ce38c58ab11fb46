import { decodeHits, type Hit } from '../hit';
import { eventKey, eventKeyAt, textOfKey } from './event-key';
import { bytesOf, inboxRows } from './inbox-rows';

const ID = '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10';
const hit = (page: string) => ({ day: 1, page }) as Hit;

it('keeps small hits together in one row', () => {
  const [row, ...more] = inboxRows(7, { hits: [hit('/a'), hit('/b')], browserIds: [null, ID] });
  expect(more).toEqual([]);
  expect(row).toMatchObject({ websiteId: 7, size: 2 });
  expect(eventKeyAt(row!.eventKeys!, 1)).toBe(textOfKey(eventKey('browser', ID)));
});

it('cuts hits into rows that fit a statement, in their order and each with its id', () => {
  const hits = Array.from({ length: 300 }, (_, index) => hit(`/${index}`.padEnd(8000, '\u0001')));
  const browserIds = hits.map((_, index) => (index % 2 === 0 ? ID : null));
  const rows = inboxRows(7, { hits, browserIds });
  expect(Math.max(...rows.map(bytesOf))).toBeLessThan(110 * 1024);
  expect(rows.flatMap((row) => decodeHits(row.hits)).map(({ page }) => page)).toEqual(
    hits.map(({ page }) => page),
  );
  const keys = rows.flatMap(({ size, eventKeys }) =>
    Array.from({ length: size }, (_, index) => eventKeys !== null && !!eventKeyAt(eventKeys, index)),
  );
  expect(keys).toEqual(browserIds.map((id) => id !== null));
});
