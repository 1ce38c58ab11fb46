import { byNumber } from './number-order';

const inOrder = (...values: string[]) =>
  byNumber(values.map((value) => ({ value }))).map(({ value }) => value);

it('orders numbers as such', () =>
  expect(inOrder('-2', '100', '1e+21', '2.5', '25', '9')).toEqual(['-2', '2.5', '9', '25', '100', '1e+21']));

it('has other values last, in the order in which they are', () =>
  expect(inOrder('', '0x10', '10', '9 ', '9', 'ten')).toEqual(['9', '10', '', '0x10', '9 ', 'ten']));
