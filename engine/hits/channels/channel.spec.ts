import {
  campaignKind,
  channelOf,
  CHANNELS,
  clickKind,
  mediumKind,
  siteOfReferrer,
  siteOfSource,
} from './channel';

interface Acquisition {
  referrer?: string;
  source?: string;
  medium?: string;
  click?: string;
  campaign?: string;
}

const channel = ({
  referrer = null!,
  source = null!,
  medium = null!,
  click = null!,
  campaign = null!,
}: Acquisition) =>
  channelOf(
    siteOfReferrer(referrer),
    siteOfSource(source),
    mediumKind(medium),
    clickKind(click),
    campaignKind(campaign),
  );

const examples: [Acquisition, string | null][] = [
  [{}, null],
  [{ referrer: 'google.com' }, 'Search'],
  [{ referrer: 'google.co.uk' }, 'Search'],
  [{ referrer: 'Google.com.br' }, 'Search'],
  [{ referrer: 'google.evil.example' }, 'Referral'],
  [{ referrer: 'docs.google.com' }, 'Referral'],
  [{ referrer: 'notgoogle.com' }, 'Referral'],
  [{ referrer: 'mail.google.com' }, 'Mail'],
  [{ referrer: 'gemini.google.com' }, 'AI assistants'],
  [{ referrer: 'r.search.yahoo.com' }, 'Search'],
  [{ referrer: 'mail.yahoo.de' }, 'Mail'],
  [{ referrer: 'com.google.android.gm' }, 'Mail'],
  [{ referrer: 'l.facebook.com' }, 'Social'],
  [{ referrer: 't.co' }, 'Social'],
  [{ referrer: 'chatgpt.com' }, 'AI assistants'],
  [{ source: 'chatgpt.com' }, 'AI assistants'],
  [{ referrer: 'news.example' }, 'Referral'],
  [{ referrer: 'toString' }, 'Referral'],
  [{ referrer: '' }, 'Referral'],
  [{ source: '__proto__', medium: 'constructor' }, 'Campaign'],
  [{ referrer: 'news.example', medium: 'referral', source: 'news' }, 'Referral'],
  [{ referrer: 'news.example', source: 'partner' }, 'Campaign'],
  [{ campaign: 'spring' }, 'Campaign'],
  [{ source: 'newsletter' }, 'Mail'],
  [{ source: 'weekly', medium: ' E-Mail ' }, 'Mail'],
  [{ source: 'google', medium: 'cpc' }, 'Paid Search'],
  [{ referrer: 'google.de', click: 'gclid' }, 'Paid Search'],
  [{ click: 'msclkid' }, 'Paid Search'],
  [{ source: 'fb', medium: 'paid_social' }, 'Paid Social'],
  [{ medium: 'cpc', click: 'fbclid' }, 'Paid Social'],
  [{ click: 'ttclid' }, 'Paid Social'],
  [{ click: 'fbclid' }, 'Social'],
  [{ source: 'magazine', medium: 'ppc' }, 'Paid Other'],
  [{ source: 'google', medium: 'cpm' }, 'Display'],
  [{ click: 'dclid' }, 'Display'],
  [{ source: 'blog', medium: 'affiliate' }, 'Affiliates'],
  [{ medium: 'social-media' }, 'Social'],
  [{ medium: 'organic' }, 'Search'],
  [{ source: 'google' }, 'Search'],
];

it.each(examples)('of %j is %s', (acquisition, expected) => {
  expect(channel(acquisition)).toBe(expected);
});

it('has an example of each', () => {
  expect(new Set(examples.flatMap(([, expected]) => expected ?? []))).toEqual(new Set(CHANNELS));
});

it.each(['gclid', 'fbclid', 'msclkid', 'dclid', 'twclid', 'ttclid', 'yclid', 'irclickid', 'tblci', 'sccid'])(
  'knows what the click id %s says',
  (name) => {
    expect(clickKind(name)).not.toBe('other');
  },
);
