import { codeOf, GUIDES } from './guide-code';

const BASE = 'https://stats.example.com/milepost';

it.each(GUIDES)('of %s loads the script of the service once', (guide) =>
  expect(codeOf(guide, BASE).match(/https:\S+?\.js/g)).toEqual([`${BASE}/tracker.js`]),
);

it('of plain HTML is one line', () =>
  expect(codeOf('html', BASE)).toBe(`<script defer src="${BASE}/tracker.js"></script>`));

it('of Tag Manager has no attributes, which it would drop', () =>
  expect(codeOf('gtm', BASE)).toMatch(/^<script>\n/));
