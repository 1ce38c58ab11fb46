import { columnsOf } from '../../../test/support/columns-of';
import fc from 'fast-check';
import { visitorCalled } from '../../../test/support/visitor-called';
import { DayBuilder } from './day-builder';
import { type Hit, NO_HIT } from '../../hits/hit';
import { WebsiteTexts } from '../../hits/codes/text-codes';

const DAY = 20_000;
const builder = () => new DayBuilder(DAY, new WebsiteTexts(Infinity));
const visitorName = (number: number) => (number === 0 ? '' : visitorCalled(number));
const hitsOf = (most: number) =>
  fc.array(
    fc
      .record({
        at: fc.nat(20),
        visitor: fc.nat(30).map(visitorName),
        page: fc.nat(400).map((page) => `/${page}`),
        event: fc.constantFrom(null, null, null, null, null, null, 'signup'),
        referrer: fc.option(fc.constantFrom('a.example', 'b.example')),
      })
      .map((own): Hit => ({ ...NO_HIT, day: DAY, ...own })),
    { maxLength: most, size: 'max' },
  );

it('has the same columns, however few hits come at a time', async () => {
  await fc.assert(
    fc.asyncProperty(hitsOf(600), fc.array(hitsOf(6), { maxLength: 8 }), async (first, more) => {
      const growing = builder();
      growing.add(columnsOf(first));
      let columns = growing.columns();
      for (const [index, some] of more.entries()) {
        growing.add(columnsOf(some));
        columns = await growing.buildColumns(columns);
        const whole = builder();
        whole.add(columnsOf([first, ...more.slice(0, index + 1)].flat()));
        expect(columns).toEqual(whole.columns());
      }
    }),
  );
});

it('leaves columns as they were while more come', () => {
  const growing = builder();
  const hit = { ...NO_HIT, day: DAY, visitor: visitorCalled('v') };
  growing.add(columnsOf(Array.from({ length: 100 }, (_, at) => ({ ...hit, at, page: `/${at}` }))));
  const columns = growing.columns();
  const before = structuredClone(columns);
  growing.add(columnsOf([{ ...hit, at: 50, page: '/new', event: 'signup' }]));
  const grown = growing.columns(columns);
  expect(grown.at.subarray(49, 53)).toEqual(Uint32Array.of(49, 50, 50, 51));
  expect(columns).toEqual(before);
});

it.each([false, true])('ends between two steps, where hits were ordered before: %s', async (isGrown) => {
  const growing = builder();
  growing.add(columnsOf([{ ...NO_HIT, day: DAY, visitor: visitorCalled('v') }]));
  const before = isGrown ? growing.columns() : undefined;
  let steps = 0;
  await growing.buildColumns(before, () => Promise.resolve(void steps++));
  expect(steps).toBeGreaterThan(2);
  for (let last = 1; last <= steps; last++) {
    let left = last;
    const between = () => (--left === 0 ? Promise.reject(new Error('left')) : Promise.resolve());
    await expect(growing.buildColumns(before, between)).rejects.toThrow('left');
  }
});
