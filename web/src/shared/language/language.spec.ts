import { emptyTextsIn, textsIn } from '../../../../test/support/texts-in';
import { de as alertsInGerman } from './alerts/de';
import { en as alertsInEnglish } from './alerts/en';
import { de } from './de';
import { en } from './en';
import { de as goalsInGerman } from './goals/de';
import { en as goalsInEnglish } from './goals/en';
import { searchFor } from './code-labels';
import { languageFor } from './language';
import { de as webhooksInGerman } from './webhooks/de';
import { en as webhooksInEnglish } from './webhooks/en';

const GERMAN = { pages: de, goals: goalsInGerman, alerts: alertsInGerman, webhooks: webhooksInGerman };
const ENGLISH = { pages: en, goals: goalsInEnglish, alerts: alertsInEnglish, webhooks: webhooksInEnglish };

it('has the same texts in all languages', () => {
  expect(textsIn(GERMAN)).toEqual(textsIn(ENGLISH));
});

it('counts one visitor in the singular', () => {
  const labels = ['1', '2'].map((visitors) => en.console.websites.recent('example.com', visitors));
  expect(labels).toEqual([
    'example.com: 1 visitor in the last 28 days',
    'example.com: 2 visitors in the last 28 days',
  ]);
});

it.each(['en', 'de'] as const)('has no empty text in %s', (language) => {
  expect(emptyTextsIn({ en: ENGLISH, de: GERMAN }[language])).toEqual([]);
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
    const own = jest.requireActual<{ searchFor: typeof searchFor }>('./code-labels').searchFor;
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
