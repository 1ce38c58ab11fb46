import { amountOf } from './amount';

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
