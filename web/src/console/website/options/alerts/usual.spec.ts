import { draftOf } from './drafts';
import { usualOf, usualQuery } from './usual';

it('is the median and the most, of what was counted at all', () => {
  expect(usualOf([4, 0, 1, 9])).toEqual({ median: 1, most: 9 });
  expect([usualOf([0, 0]), usualOf([])]).toEqual([undefined, undefined]);
});

it('is asked for hours or days that are over, once the rule is whole', () => {
  const draft = draftOf(undefined);
  expect(usualQuery(draft, '2026-03-29')).toMatchObject({
    ...{ metrics: ['visitors'], dimensions: ['hour'], range: ['2026-03-22', '2026-03-28'] },
  });
  expect(usualQuery({ ...draft, within: 'day' }, '2026-03-29')).toMatchObject({
    range: ['2026-03-01', '2026-03-28'],
  });
  expect(usualQuery({ ...draft, condition: 'rises' }, '2026-03-29')).toBeUndefined();
});
