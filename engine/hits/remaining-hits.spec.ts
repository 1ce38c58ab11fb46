import { openBlock } from '../../test/support/columns-of';
import { visitorCalled } from '../../test/support/visitor-called';
import { WebsiteTexts } from './codes/text-codes';
import { type Hit, NO_HIT } from './hit';
import { hitsOfBlock } from './hits-of-block';
import { withoutHits } from './remaining-hits';

/** What is left of hits that are listed by visitor. */
function left(all: [visitor: number, fields: Partial<Hit>][], isRemoved: (page: string) => boolean) {
  const texts = new WebsiteTexts(Infinity);
  const hits = all.map(([visitor, fields], second) => ({
    ...{ ...NO_HIT, day: 1, at: 86_400 + second, visitor: visitorCalled(visitor) },
    ...fields,
  }));
  const removed = Uint8Array.from(hits, ({ page }) => Number(isRemoved(page)));
  const rest = withoutHits(openBlock(hits, texts), removed);
  if (!rest) return undefined;
  const shown = [...hitsOfBlock(rest, texts, String)]
    .flat()
    .map(({ visitor, page, country }) => `${visitor} ${page} ${country}`);
  return { ...rest.days[0], shown, direct: [...rest.isDirect], begins: [...rest.begins] };
}

const referrer = 'spam.example';
const isSpam = (page: string) => page.startsWith('/spam');

it('keep what the first hit of their visitor told, and begin with the first that is left', () => {
  const rest = left(
    [
      [1, { page: '/spam', country: 'DE' }],
      [1, { page: '/a', country: 'FR' }],
      [2, { page: '/spam', country: 'IT' }],
      [3, { page: '/b', country: 'ES' }],
      [3, { page: '/spam/2', country: 'ES' }],
    ],
    isSpam,
  );
  expect(rest).toMatchObject({
    ...{ hits: 2, visitors: 2, firstHit: 0, firstVisitor: 0, begin: 86_401, begins: [0, 1, 2] },
    shown: ['0 /a DE', '1 /b ES'],
  });
  expect(left([[1, { page: '/spam' }]], isSpam)).toBeUndefined();
});

it('agree with what is known of the first referrer, because readers look for such a hit', () => {
  const rest = left(
    [
      [1, { page: '/spam', referrer }],
      [1, { page: '/a' }],
      [2, { page: '/spam' }],
      [2, { page: '/b', referrer }],
      [3, { page: '/spam', referrer }],
      [3, { page: '/c' }],
      [3, { page: '/d', referrer }],
      [4, { page: '/spam' }],
      [4, { page: '/e' }],
    ],
    isSpam,
  );
  expect(rest!.direct).toEqual([1, 0, 0, 1]);
});
