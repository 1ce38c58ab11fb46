import { columnsOf } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { DayBuilder } from '../segments/day-builder';
import { type Hit, NO_HIT } from '../../hits/hit';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { columnsOfBlock } from './columns-of-block';

const DAY = 20_000;
/** The first visitor has more hits than one step. */
const hits = Array.from({ length: 60 }, (_, index): Hit => {
  const visitor = index < 20 ? visitorCalled(0) : visitorCalled(index % 13);
  const page = `/${index % 9}`;
  return { ...NO_HIT, day: DAY, at: 86_400 * DAY + index, visitor, page, country: index % 2 ? 'DE' : 'FR' };
});

it('has the hits of some visitors after others, each with all of its own', () => {
  const texts = new WebsiteTexts(Infinity);
  const builder = new DayBuilder(DAY, texts);
  builder.add(columnsOf(hits));
  const block = builder.columns();

  const again = new DayBuilder(DAY, new WebsiteTexts(Infinity));
  const sizes: number[] = [];
  for (const some of columnsOfBlock(block, texts, builder.hashes(), 10)) {
    sizes.push(some.hits);
    again.add(some);
  }
  expect(sizes.length).toBeGreaterThan(3);
  expect(sizes.filter((size) => size > 10)).toHaveLength(1);
  const accepted = Uint32Array.from(hits.keys());
  expect({ ...again.columns(), accepted }).toEqual({ ...block, accepted });
  expect(again.hashes()).toEqual(builder.hashes());
});
