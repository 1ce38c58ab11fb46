import { middleOf } from './middle-of';

it('is that of the largest part', () => {
  expect(middleOf('M0,0L4,0L4,2L0,2Z')).toEqual([2, 1]);
  expect(middleOf('M900,10L901,10L901,11ZM-10.5,0L20.5,0L20.5,30L-10.5,30ZM5,5L6,6L5,6Z')).toEqual([5, 15]);
});
