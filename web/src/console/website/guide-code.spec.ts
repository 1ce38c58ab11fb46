import { AUTOMATIC_EVENTS } from '../../statistics/panels/automatic/automatic-events';
import { codeOf, EXTRAS, GUIDES } from './guide-code';

const BASE = 'https://stats.example.com/milepost';

it.each(GUIDES)('of %s loads the script of the service once', (guide) =>
  expect(codeOf(guide, BASE).match(/https:\S+?\.js/g)).toEqual([`${BASE}/tracker.js`]),
);

it('of plain HTML is one line', () =>
  expect(codeOf('html', BASE)).toBe(`<script defer src="${BASE}/tracker.js"></script>`));

it('of Tag Manager has no attributes, which it would drop', () =>
  expect(codeOf('gtm', BASE)).toMatch(/^<script>\n/));

it.each(GUIDES)('of %s has the attributes of chosen events, and else none', (guide) => {
  expect(codeOf(guide, BASE)).not.toContain('data-');
  const code = codeOf(guide, BASE, ['outbound', 'not_found']);
  expect(code.match(/data-[a-z0-9]+/g)).toEqual(['data-outbound', 'data-404']);
});

it('offers each event that has a panel', () =>
  expect(Object.keys(EXTRAS)).toEqual(AUTOMATIC_EVENTS.map(({ id }) => id)));
