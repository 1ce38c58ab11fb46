import fc from 'fast-check';
import { openBlock, sealedPart } from '../../../../test/support/columns-of';
import { randomFilter, randomHits } from '../../../../test/support/random-hits';
import { WebsiteTexts } from '../../../hits/codes/text-codes';
import type { Hit } from '../../../hits/hit';
import { FilterMemory } from '../../memory/filter-memory';
import { PeakMemory } from '../../memory/peak-memory';
import { type Filter, filterOf, type ResolvedFilter } from '../../../questions/parse/filter';
import { Zone } from '../../../questions/plan/buckets';
import { WebsiteValues } from '../website-values';
import { BlockLists } from '../block-lists';
import { BlockView } from '../block-view';
import { ALL_MATCH, type Matches, ofHits } from '../matching-rows';
import { reachingIn, rowsOfFilters } from '../rows-of-filters';
import { Selections } from '../selections';

const TIMEZONE = 'Europe/Berlin';
const AROUND = '2026-10-25T01:00:00Z';
const check = () => undefined;

/** The hits of a day as they come from batches, and from the columns of a sealed day. */
async function viewsOf(hits: Hit[]): Promise<BlockView[]> {
  const texts = new WebsiteTexts(1024 * 1024);
  const { day } = hits[0]!;
  const whole = openBlock(
    hits.filter((hit) => hit.day === day),
    texts,
  );
  const own = new WebsiteTexts(1024 * 1024);
  const part = await sealedPart([whole], texts, own);
  return [
    new BlockView(whole, new WebsiteValues(texts)),
    new BlockView(part.block([day]), new WebsiteValues(own)),
  ];
}

const selectionsIn = ({ block: { days } }: BlockView) => {
  return new Selections(days, new Zone(TIMEZONE), new FilterMemory(), check);
};
const compiled = (filters: ResolvedFilter[]): Filter[] => filters.map((filter) => filterOf([filter])!);

it('finds what each of many filters selects, within what another one selects', async () => {
  const filters = fc.array(randomFilter, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(randomHits(TIMEZONE, AROUND), filters, randomFilter, async (hits, sent, around) => {
      const all = compiled(sent);
      const [outer] = compiled([around]);
      for (const view of await viewsOf(hits)) {
        const selections = selectionsIn(view);
        const matches = selections.of(outer!).of(view);
        const within = ofHits({ ...matches, hits: matches.hits?.slice() }, view);
        const expected = all.map((filter) => {
          const own = ofHits(selectionsIn(view).of(filter).of(view), view);
          return [...own.keys()].filter((hit) => own[hit] === 1 && within[hit] === 1);
        });
        const classes = selections.classesOf(all);
        const found: number[][] = all.map(() => []);
        for (const { filter, rows } of rowsOfFilters(view, classes, reachingIn(view, classes, matches))) {
          found[filter] = [...rows.hitPlaces];
          const { visitorOfHits, block } = view;
          expect([...rows.visitorPlaces]).toEqual([
            ...new Set(found[filter].map((hit) => visitorOfHits[hit]!)),
          ]);
          expect([...rows.hits].map((one, hit) => (one ? hit : -1)).filter((hit) => hit >= 0)).toEqual(
            found[filter],
          );
          expect([...rows.visitors].filter(Boolean)).toHaveLength(rows.visitorPlaces.length);
          expect(rows.hits).toHaveLength(block.hits);
        }
        expect(found).toEqual(expected);
        expect([...view.marks.hits, ...view.marks.visitors].some(Boolean)).toBe(false);
      }
    }),
    { numRuns: 150 },
  );
});

it('takes no memory for further matches of a block, and mixes none of them up', async () => {
  const hits = fc.sample(randomHits(TIMEZONE, AROUND), { numRuns: 1, seed: 1 })[0]!;
  const [{ block, values }] = (await viewsOf(hits)) as [BlockView];
  let taken = 0;
  const memory = new PeakMemory((bytes) => void (taken += bytes));
  const view = new BlockView(block, values, memory, new BlockLists(memory));
  const selections = selectionsIn(view);
  const filters = compiled([
    ['is_not', 'page', ['/a']],
    ['is_not', 'country', ['DE']],
  ]);
  const even = (size: number) => Uint8Array.from({ length: size }, (_, row) => Number(row % 2 === 0));
  const all = [ALL_MATCH, { visitors: even(block.visitors) }, { hits: even(block.hits) }].flatMap(
    (matches: Matches) =>
      filters.map((filter) => {
        const within = ofHits({ ...matches, hits: matches.hits?.slice() }, view);
        const own = ofHits(selectionsIn(view).of(filter).of(view), view);
        const expected = [...own.keys()].filter((hit) => own[hit] === 1 && within[hit] === 1);
        return { matches, classes: selections.classesOf([filter]), expected };
      }),
  );
  expect(new Set(all.map(({ expected }) => expected.join())).size).toBe(all.length);
  const [ofPages, ofCountries] = [0, 1].map((first) => all.filter((_, index) => index % 2 === first));
  const find = () => {
    for (const { matches, classes, expected } of [...all, ...ofPages!, ...ofCountries!])
      expect([...reachingIn(view, classes, matches).places]).toEqual(expected);
  };
  find();
  const before = taken;
  for (let turn = 0; turn < 1000; turn++) find();
  expect(taken).toBe(before);
});

it('evaluates filters once for each combination of results, whatever the number of hits', async () => {
  const hits = fc.sample(randomHits(TIMEZONE, AROUND), { numRuns: 1, seed: 1 })[0]!;
  const [view] = await viewsOf(hits);
  const pages = ['/', '/a', '/none'].map((page): ResolvedFilter => ['is', 'page', [page]]);
  const classes = selectionsIn(view!).classesOf(compiled([...pages, ['and', pages.slice(0, 2)]]));
  expect(new Set(classes.in(view!, ALL_MATCH).classOf).size).toBeLessThanOrEqual(3);
  expect(classes.count).toBeLessThanOrEqual(3);
});
