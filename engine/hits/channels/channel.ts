import { kindOfHost, kindOfSource, type SiteKind } from './known-sites';

/** The channel of hits without a source. */
export const DIRECT = 'Direct';

const MEDIA = {
  display: /^(?:display|banner|expandable|interstitial|cpm|native)$/,
  affiliate: /^affiliates?$/,
  paid: /^(?:.*cp.*|ppc|retargeting|paid.*)$/,
  mail: /^(?:e[-_ ]?mail|mail|newsletter)$/,
  social: /^(?:social(?:[-_ ](?:network|media))?|sm)$/,
  organic: /^(?:organic|search)$/,
  referral: /^(?:referral|link|app)$/,
} as const;
type Medium = keyof typeof MEDIA;

/** Click ids that identify a kind of channel. */
const CLICK_IDS = {
  display: 'dclid tblci dicbo',
  affiliate: 'irclickid',
  'paid search': 'gclid gbraid wbraid msclkid yclid ymclid',
  'paid social': 'twclid ttclid li_fat_id rdt_cid sccid epik qclid rb_clickid',
  social: 'fbclid',
} as const;
type Click = keyof typeof CLICK_IDS;

const OTHER = 'other';
/** The kind of one piece of evidence; null if it is missing. */
type Kind<K extends string> = K | typeof OTHER | null;

export const siteOfReferrer = (referrer: string | null): Kind<SiteKind> =>
  referrer === null ? null : (kindOfHost(referrer) ?? OTHER);
export const siteOfSource = (source: string | null): Kind<SiteKind> =>
  source === null ? null : (kindOfSource(source) ?? OTHER);

export function mediumKind(medium: string | null): Kind<Medium> {
  if (medium === null) return null;
  const text = medium.trim().toLowerCase();
  return (Object.keys(MEDIA) as Medium[]).find((kind) => MEDIA[kind].test(text)) ?? OTHER;
}

export function clickKind(clickId: string | null): Kind<Click> {
  if (clickId === null) return null;
  return (
    (Object.keys(CLICK_IDS) as Click[]).find((kind) => CLICK_IDS[kind].split(' ').includes(clickId)) ?? OTHER
  );
}

export const campaignKind = (campaign: string | null): Kind<never> => (campaign === null ? null : OTHER);

interface Acquisition {
  /** The site of the source, if known; otherwise of the referrer. */
  site: Kind<SiteKind>;
  medium: Kind<Medium>;
  click: Kind<Click>;
  /** Tells whether the hit has a referrer and no other evidence. */
  isReferred: boolean;
}

/** The first rule that applies decides. docs/counting.md has them as a table. */
const RULES = {
  Display: ({ medium, click }) => medium === 'display' || click === 'display',
  Affiliates: ({ medium, click }) => medium === 'affiliate' || click === 'affiliate',
  'Paid Search': ({ medium, site, click }) =>
    (medium === 'paid' && site === 'search') || click === 'paid search',
  'Paid Social': ({ medium, site, click }) =>
    (medium === 'paid' && (site === 'social' || click === 'social')) || click === 'paid social',
  'Paid Other': ({ medium }) => medium === 'paid',
  Mail: ({ medium, site }) => medium === 'mail' || site === 'mail',
  'AI assistants': ({ site }) => site === 'assistant',
  Social: ({ medium, site, click }) => medium === 'social' || site === 'social' || click === 'social',
  Search: ({ medium, site }) => medium === 'organic' || site === 'search',
  Referral: ({ medium, isReferred }) => medium === 'referral' || isReferred,
  Campaign: () => true,
} satisfies Record<string, (acquisition: Acquisition) => boolean>;

type Channel = keyof typeof RULES;
export const CHANNELS = Object.keys(RULES) as Channel[];

/** The channel of a hit. Null if nothing tells where it comes from. */
export function channelOf(
  referrer: Kind<SiteKind>,
  source: Kind<SiteKind>,
  medium: Kind<Medium>,
  click: Kind<Click>,
  campaign: Kind<never>,
): Channel | null {
  const tags = [source, medium, campaign];
  if ([referrer, click, ...tags].every((part) => part === null)) return null;
  const site = source === null || source === OTHER ? referrer : source;
  const isReferred = referrer !== null && tags.every((tag) => tag === null);
  return CHANNELS.find((channel) => RULES[channel]({ site, medium, click, isReferred }))!;
}
