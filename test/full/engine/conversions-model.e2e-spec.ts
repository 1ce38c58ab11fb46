import fc from 'fast-check';
import { QueryAnswering } from '../../../engine/columns/answering/query-answering';
import { WorkingMemory } from '../../../engine/asking/memory/working-memory';
import { ConversionAnswering } from '../../../engine/columns/answering/conversion-answering';
import { areOfSingleHits } from '../../../engine/questions/conversions-request';
import { filterOf, type ResolvedFilter } from '../../../engine/questions/parse/filter';
import { Zone } from '../../../engine/questions/plan/buckets';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import type { Cursor } from '../../../engine/questions/conversions-request';
import { follow, readFollowed, readingOf } from '../../../engine/columns/followed-websites';
import type { Hit } from '../../../engine/hits/hit';
import { CountingProcess, daysOver } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { QueryModel } from '../../support/query-model';
import { randomFilter, randomHits } from '../../support/random-hits';
import { size } from '../../support/sizes';
import { PATIENCE_MS } from '../../support/until';

const WEBSITES = size('CONVERSION_WEBSITES', 25, 1000);
const TIMEZONE = 'Europe/Berlin';
/** Clocks are set back. */
const AROUND = '2026-10-25T01:00:00Z';
const READING = { readAt: Date.parse(AROUND), maxHits: Infinity };
const LIMIT = { patienceMs: PATIENCE_MS, check: () => undefined };
/** They follow from the address and the user agent, as the visitor's hash does. */
const OF_HASH = [
  'browser',
  'browserVersion',
  'operatingSystem',
  'operatingSystemVersion',
  'device',
  'continent',
  'country',
  'city',
] as const satisfies (keyof Hit)[];

let websites = 0;
let singles = 0;
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

const goals = fc.oneof(
  fc.array(randomFilter, { minLength: 1, maxLength: 4 }),
  // Most random filters look at other hits of the visitor as well.
  fc.array(
    randomFilter.filter((filter) => areOfSingleHits([filterOf([filter])!])),
    { minLength: 1, maxLength: 4 },
  ),
);

/** The same hits, where a visitor has what follows from the hash once for all. */
function alike(hits: Hit[]): Hit[] {
  const firsts = new Map<string, Hit>();
  return hits.map((hit) => {
    const first = firsts.get(hit.visitor) ?? hit;
    if (hit.visitor !== '') firsts.set(hit.visitor, first);
    return { ...hit, ...Object.fromEntries(OF_HASH.map((field) => [field, first[field]])) };
  });
}

it('counts each hit once, when it is read, as walking over all hits until then does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          hits: randomHits(TIMEZONE, AROUND),
          inFold: fc.integer({ min: 3, max: 60 }),
          seals: fc.boolean(),
        }),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      goals,
      fc.constantFrom(1, 3000, 100_000),
      async (rounds, filters, share) => {
        const websiteId = ++websites;
        if (areOfSingleHits(filters.map((own) => filterOf([own])!))) singles++;
        await one.register(websiteId);
        const reading = readingWith(share);
        let since = await followed(websiteId);
        const all = alike(rounds.flatMap(({ hits }) => hits));
        let counted = 0;
        for (const { hits, inFold, seals } of rounds) {
          const added = all.slice(counted, (counted += hits.length));
          await fold(websiteId, added, inFold);
          const found = await reading.read(
            { ...{ websiteId, since, goals: filters.map((own) => filterOf([own])!) }, ...READING },
            LIMIT,
          );
          since = found.cursor;
          const expected = expectedOf(all.slice(0, counted), new Set(added), filters);
          expect({ filters, found: found.goals.map(({ conversions }) => conversions) }).toEqual({
            filters,
            found: expected,
          });
          expect([found.isAll, found.skipped]).toEqual([true, 0]);
          if (seals) await seal(websiteId, added);
        }
        const hitsRead = readingOf(since).places.reduce((sum, [, place]) => sum + place, 0);
        expect(hitsRead).toBe(all.length);
      },
    ),
    { numRuns: WEBSITES, endOnFailure: true },
  );
  expect(singles).toBeGreaterThan(0);
  expect(singles).toBeLessThan(WEBSITES);
});

async function followed(websiteId: number): Promise<Cursor> {
  await one.database.write((manager) => follow(manager, one.database.dialect, websiteId, READING.readAt));
  return (await readFollowed(one.database, websiteId))!.cursor;
}

function readingWith(shares: number): ConversionAnswering {
  const [cache, zone, memory] = [new ColumnCache({ shares }), new Zone(TIMEZONE), new WorkingMemory()];
  return new ConversionAnswering(cache, zone, memory, new QueryAnswering(one.database, cache, zone, memory));
}

async function fold(websiteId: number, hits: Hit[], inFold: number): Promise<void> {
  await one.accept(websiteId, ...hits);
  await one.endLeases();
  const folder = (await one.folderOf(websiteId))!;
  while ((await folder.foldSome(inFold)) > 0) await folder.mergeBatches();
  await folder.lease.release();
}

async function seal(websiteId: number, hits: Hit[]): Promise<void> {
  const before = Math.max(...hits.map(({ day }) => day));
  await one.workOnColumns(
    websiteId,
    { ...daysOver(before), before: 0, finalBefore: 0 },
    { closing: { hits: 20 } },
  );
}

/** The new hits that pass each filter, among all hits so far. */
function expectedOf(hits: Hit[], added: ReadonlySet<Hit>, filters: ResolvedFilter[]): number[] {
  const model = new QueryModel(hits, TIMEZONE);
  const placed = model.placed.filter(({ hit }) => added.has(hit));
  return filters.map((filter) => placed.filter((own) => model.passes(filter, own)).length);
}
