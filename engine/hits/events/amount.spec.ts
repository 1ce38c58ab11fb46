import fc from 'fast-check';
import { amountOf, decimalOf } from './amount';

it.each([
  ['0', '0'],
  ['-0.0', '0'],
  ['1', '10000'],
  ['-19.9', '-199000'],
  ['0.0001', '1'],
  ['-0.05', '-500'],
  ['10.2500', '102500'],
  ['999999999999999', '9999999999999990000'],
  ['99999999999.9999', '999999999999999'],
])('takes %s for %s ten-thousandths', (decimal, amount) => {
  expect(amountOf(decimal)).toBe(amount);
});

it.each([
  '',
  ' 1',
  '+1',
  '01',
  '.5',
  '5.',
  '1e3',
  '0x1',
  '1,5',
  'NaN',
  'Infinity',
  '1.00001',
  '1234567890123456',
])('takes %p for no amount', (text) => {
  expect(amountOf(text)).toBeUndefined();
});

it.each([
  ['0', '0'],
  ['1', '0.0001'],
  ['-500', '-0.05'],
  ['10000', '1'],
  ['9999999999999990000', '999999999999999'],
])('words %s ten-thousandths as %s', (amount, decimal) => {
  expect(decimalOf(amount)).toBe(decimal);
});

it('takes what it words for the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }), (amount) => {
      expect(amountOf(decimalOf(String(amount)))).toBe(String(amount));
    }),
  );
});
