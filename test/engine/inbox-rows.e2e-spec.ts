import { encodeHits } from '../../engine/hits/hit';
import { VERSION_ROW, CountingProcess, pageView } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';

let database: FreshDatabase;
let one: CountingProcess;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
});
afterAll(async () => {
  await one.stop();
  await database.drop();
});

const hitsOf = (bytes: number) => {
  const hits = [pageView('/', 'a')];
  while (encodeHits(hits).length < bytes) hits.push(pageView(`/${hits.length}`.padEnd(1000, 'p'), 'a'));
  return hits;
};

it.each([
  [50_000, 70_000],
  [70_000, 50_000],
])('keeps every byte of rows that are stored together: of about %i and %i bytes', async (...sizes) => {
  const first = sizes[0] > sizes[1] ? 1 : 11;
  const websites = sizes.map((bytes, index) => ({ websiteId: first + index, hits: hitsOf(bytes) }));
  for (const { websiteId } of websites) await one.register(websiteId);
  await one.store.accept(
    websites.map(({ websiteId, hits }) => ({
      websiteId,
      source: 'browser' as const,
      hits: hits.map((hit) => ({ hit, eventId: null })),
    })),
    VERSION_ROW,
  );
  for (const { websiteId, hits } of websites) {
    expect(await (await one.folderOf(websiteId))!.foldSome()).toBe(hits.length);
    expect(Object.keys(await one.counted(websiteId, 'page'))).toHaveLength(hits.length);
  }
});
