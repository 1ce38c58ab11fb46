import { continentLabel, countryLabel, languageLabel, pathLabel } from './readable-labels';

it.each([
  ['/caf%C3%A9', '/café'],
  ['/a%20b', '/a b'],
  ['/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB', '/👩‍💻'],
  ['/a?q=%C3%A9?%C3%A9', '/a?q=%C3%A9?%C3%A9'],
  ['/%zz%41', '/%zzA'],
  ['/%ff', '/%ff'],
  ['/%0A%00', '/%0A%00'],
  ['/%E2%80%AE', '/%E2%80%AE'],
  ['', ''],
])('shows the page %s as %s', (page, label) => {
  expect(pathLabel(page)).toBe(label);
});

it('shows a code that nobody knows as it is', () => {
  for (const label of [continentLabel, countryLabel, languageLabel])
    for (const code of ['(unknown)', '__proto__']) expect(label(code)).toBe(code);
});

it.each([
  [continentLabel('OC'), 'Oceania'],
  [countryLabel('DE'), 'Germany'],
  [languageLabel('de'), 'German'],
  [languageLabel('zh-Hant-TW'), 'Chinese (Traditional, Taiwan)'],
])('words what it knows: %s', (label, words) => {
  expect(label).toBe(words);
});
