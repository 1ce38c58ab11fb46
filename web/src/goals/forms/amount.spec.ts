import { amountIn, isUnclear } from './amount';

it.each([
  ['9,90', '9.90'],
  ['9,9', '9.9'],
  ['9.90', '9.90'],
  ['1000', '1000'],
  ['1,000', '1,000'],
  ['1,234.56', '1,234.56'],
  ['', ''],
])('reads %j as %j', (text, amount) => expect(amountIn(text)).toBe(amount));

it.each([
  ...(['1,000', '1.000', '1.234,56', '1,234.56', '1.000.000', '0.125'].map((text) => [text, true]) as [
    string,
    boolean,
  ][]),
  ...(['1000', '9.90', '0.1250', '9.9', '12345.6789', ''].map((text) => [text, false]) as [
    string,
    boolean,
  ][]),
])('finds unclear whether %j has thousands: %j', (text, expected) =>
  expect(isUnclear(amountIn(text))).toBe(expected),
);
