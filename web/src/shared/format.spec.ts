import { localText, shareText, shortNumberText, shortSumText } from './format';

const inGerman = <T>(work: (format: typeof import('./format')) => T): T => {
  let result: T;
  jest.isolateModules(() => {
    Object.assign(globalThis, { localStorage: { getItem: () => 'de' } });
    result = work(jest.requireActual<typeof import('./format')>('./format'));
    Reflect.deleteProperty(globalThis, 'localStorage');
  });
  return result!;
};

it('shortens numbers where the language has a unit, and never only rounds them', () => {
  expect([9999, 12_345, 1_234_567].map(shortNumberText)).toEqual(['9,999', '12.3K', '1.2M']);
  expect(shortSumText({ amount: '12345.67', currency: 'EUR' })).toBe('€12.3K');
  const german = inGerman((format) => [
    ...[9999, 12_345, 1_234_567].map(format.shortNumberText),
    format.shortSumText({ amount: '12345.67', currency: 'EUR' }),
  ]);
  expect(german).toEqual(['9.999', '12.345', '1,2\u00a0Mio.', '12.345,67\u00a0€']);
});

it('writes no share of more than all', () => {
  expect([shareText(1, 8), shareText(21_594, 21_567), shareText(0, 0)]).toEqual(['12.5%', '100.0%', '0.0%']);
});

it('writes the year of a day with a time, as it does of others', () =>
  expect(localText('2026-05-13T09:30')).toMatch(/^Wed, May 13, 2026, 9:30\sAM$/));
