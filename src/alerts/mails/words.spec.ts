import type { Firing } from '../firings/firing';
import { alertWords, countedText } from './words';

it.each([
  ['en', 1, 'page view'],
  ['en', 0, 'page views'],
  ['de', 1, 'Seitenaufruf'],
  ['de', 2, 'Seitenaufrufe'],
] as const)('names what was counted in %s: %d %s', (language, value, text) => {
  const firing = { alert: { condition: 'above', metric: 'pageviews' }, value } as Firing;
  expect(countedText(firing, alertWords(language))).toBe(text);
});
