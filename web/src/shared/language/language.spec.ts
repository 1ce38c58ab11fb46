import { de } from './de';
import { en } from './en';
import { searchFor } from './labels';
import { languageFor } from './language';

/** Every text of an object by its path, and for functions the number of their parameters. */
function textsIn(value: unknown, path = ''): [path: string, kind: string][] {
  if (typeof value === 'string') return [[path, 'text']];
  if (typeof value === 'function') return [[path, 'function']];
  return Object.entries(value as object).flatMap(([key, one]) => textsIn(one, `${path}.${key}`));
}

it('has the same texts in all languages', () => {
  expect(textsIn(de)).toEqual(textsIn(en));
});

it.each(['en', 'de'] as const)('has no empty text in %s', (language) => {
  const empty = JSON.stringify({ en, de }[language]).match(/"[^"]*":\s*""/);
  expect(empty).toBeNull();
});

it.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'de', 'en'], 'de'],
  [['en-GB', 'de'], 'en'],
  [['fr'], 'en'],
  [[], 'en'],
])('chooses for a browser with %j', (tags, expected) => {
  expect(languageFor(tags)).toBe(expected);
});

it('searches in the words of the service where the page has its own', () => {
  jest.isolateModules(() => {
    Object.assign(globalThis, { localStorage: { getItem: () => 'de' } });
    const own = jest.requireActual<{ searchFor: typeof searchFor }>('./labels').searchFor;
    expect(own('country', 'deutschl')).toBe('Germany');
    expect(own('continent', 'Südamerika')).toBe('South America');
    expect(own('language', 'Französisch')).toBe('French');
    expect(own('country', 'nowhere')).toBe('nowhere');
    expect(own('country', 'Vereinigt')).toBe('United States');
    expect(own('country', 's')).toBe('s');
    expect(own('page', 'Deutschland')).toBe('Deutschland');
    Reflect.deleteProperty(globalThis, 'localStorage');
  });
  expect(searchFor('country', 'Deutschland')).toBe('Deutschland');
});
