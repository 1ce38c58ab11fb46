import { openBlock, sealedPart } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import type { Property } from '../../hits/fields';
import { NO_HIT } from '../../hits/hit';
import { FilterMemory } from '../memory/filter-memory';
import { PeakMemory } from '../memory/peak-memory';
import type { Filter } from '../../questions/parse/filter';
import { propertyNamed } from '../../questions/plan/values-from-columns';
import { WebsiteValues } from './website-values';
import { BlockView } from './block-view';
import { ofHits } from './matching-rows';
import { Selection } from './selection';

const DAY = 20_000;
const HITS = 20_000;
const NAMES = 100;
const valueOf = (name: number, hit: number) => String((name * 7 + hit) % 50);
const properties = (hit: number) =>
  Array.from({ length: NAMES }, (_, name): Property => [`name-${name}`, valueOf(name, hit % 50)]);

const texts = new WebsiteTexts(64 * 1024 * 1024);
const values = new WebsiteValues(texts);
const whole = openBlock(
  Array.from({ length: HITS }, (_, hit) => ({
    ...NO_HIT,
    day: DAY,
    at: DAY * 86_400 + hit,
    visitor: visitorCalled(hit),
    event: hit % 3 === 0 ? null : 'signup',
    properties: hit % 3 === 0 ? null : properties(hit),
  })),
  texts,
);

/** Views of the same hits, from batches and from the columns of a sealed day. */
async function blocks() {
  const part = await sealedPart([whole], texts);
  return [whole, part.block([DAY])];
}

/** The first hit is the hit with the number 0, because each visitor has one hit. */
const has = (name: number, value: string): Filter => ({
  kind: 'test',
  name: `event_property:name-${name}`,
  test: 'is',
  values: [value],
});
const select = (filter: Filter, view: BlockView) =>
  ofHits(
    new Selection(
      filter,
      () => undefined as never,
      () => undefined,
      new FilterMemory(),
    ).of(view),
    view,
  );
const hitsWhere = (matches: (hit: number) => boolean) =>
  Uint8Array.from({ length: HITS }, (_, hit) => Number(matches(hit)));
const isEvent = (hit: number) => hit % 3 !== 0;

it('finds the hits with a value of a property', async () => {
  for (const block of await blocks()) {
    const view = new BlockView(block, values);
    for (const name of [0, 1, 99])
      expect(select(has(name, '7'), view)).toEqual(
        hitsWhere((hit) => isEvent(hit) && valueOf(name, hit % 50) === '7'),
      );
  }
});

it('joins conditions', async () => {
  const filter: Filter = {
    kind: 'any',
    of: [{ kind: 'all', of: [has(0, '7'), has(1, '14')] }, has(2, '3'), { kind: 'not', of: has(3, '1') }],
  };
  const expected = hitsWhere((hit) => {
    const value = (name: number) => (isEvent(hit) ? valueOf(name, hit % 50) : null);
    return (value(0) === '7' && value(1) === '14') || value(2) === '3' || value(3) !== '1';
  });
  for (const block of await blocks()) expect(select(filter, new BlockView(block, values))).toEqual(expected);
});

it('takes no memory for each hit of each further property', async () => {
  for (const block of await blocks()) {
    let taken = 0;
    const view = new BlockView(block, values, new PeakMemory((bytes) => void (taken += bytes)));
    view.ownCodes(propertyNamed('name-0'));
    const ofOne = taken;
    for (let name = 1; name < NAMES; name++) view.ownCodes(propertyNamed(`name-${name}`));
    expect(taken - ofOne).toBeLessThan(2 * HITS);
  }
});

it('takes memory for the lists of hits that conditions and names need', async () => {
  for (const block of await blocks()) {
    let taken = 0;
    const viewOfBlock = () => new BlockView(block, values, new PeakMemory((bytes) => void (taken += bytes)));
    select({ kind: 'all', of: [{ kind: 'any', of: [has(0, '1'), has(1, '1')] }] }, viewOfBlock());
    expect(taken).toBeGreaterThan(3 * HITS);
    const view = viewOfBlock();
    const ofFilter = taken;
    for (let name = 0; name < 10; name++) view.codes(propertyNamed(`name-${name}`));
    expect(taken - ofFilter).toBeGreaterThanOrEqual(10 * 4 * HITS);
  }
});
