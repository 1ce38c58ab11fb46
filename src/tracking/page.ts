import { BoundedCache } from '../common/bounded-cache';
import { compileParameters, decoded, type ParameterRules } from './parameters';

const CAMPAIGN_FIELDS = ['source', 'medium', 'campaign', 'term', 'content'] as const;
export type Campaign = Record<(typeof CAMPAIGN_FIELDS)[number], string | null>;

/** What others add to links to follow people. Names that a website may use for itself are not here. */
const TRACKING = `
  utm_* mtm_* pk_campaign pk_keyword pk_kwd pk_source pk_medium pk_content pk_cid hsa_* matomo_* piwik_*
  gclid gclsrc gad_* dclid gbraid wbraid srsltid _ga _gl
  fbclid fb_action_ids fb_action_types fb_source fb_ref igshid igsh
  msclkid twclid ttclid li_fat_id rdt_cid sccid epik qclid tblci dicbo
  yclid ysclid ymclid _openstat
  mc_cid mc_eid _hsenc _hsmi __hssc __hstc __hsfp hsctatracking _kx mkt_tok __s
  vero_id vero_conv oly_* ml_subscriber ml_subscriber_hash sfmc_* bsft_* dm_i elqtrack elqtrackid
  s_kwcid s_cid ef_id wickedid rb_clickid irclickid irgwc cjevent guccounter guce_referrer guce_referrer_sig
  _branch_match_id _branch_referrer`;

const isTracking = compileParameters(TRACKING.trim().replace(/\s+/g, '\n'));

interface Parameter {
  name: string;
  text: string;
  isTracking: boolean;
}

/** What an address tells whatever its website leaves out. */
interface Address {
  pathname: string;
  search: string;
  parameters: Parameter[];
  utm: Campaign;
}

const MOST_ADDRESSES = 10_000;
const LONGEST_KEPT = 512;
const addresses = new BoundedCache<Address>(MOST_ADDRESSES);

/** The page that a valid address names, and the campaign it was linked from. */
export function derivePage(url: string, excluded: ParameterRules): { page: string; utm: Campaign } {
  const address = url.length > LONGEST_KEPT ? read(url) : addresses.get(url, read);
  return { page: address.pathname + remaining(address, excluded), utm: address.utm };
}

function read(url: string): Address {
  const { pathname, search } = new URL(url);
  const texts = search === '' ? [] : search.slice(1).split('&');
  const parameters = texts.map((text) => {
    const name = decoded(text.split('=', 1)[0]!);
    return { name, text, isTracking: isTracking(name.toLowerCase()) };
  });
  return { pathname, search, parameters, utm: campaignOf(parameters) };
}

/** Where a parameter goes, blank ones go with it, so that no stray `&` makes another page of the same one. */
function remaining({ parameters, search }: Address, excluded: ParameterRules): string {
  const kept = parameters.filter(({ name, isTracking }) => !isTracking && !excluded(name));
  if (kept.length === parameters.length) return search;
  const texts = kept.map(({ text }) => text).filter((text) => text !== '');
  return texts.length === 0 ? '' : `?${texts.join('&')}`;
}

function campaignOf(parameters: Parameter[]): Campaign {
  const campaign: Campaign = { source: null, medium: null, campaign: null, term: null, content: null };
  for (const { name, text } of parameters) {
    const field = CAMPAIGN_FIELDS.find((known) => name.toLowerCase() === `utm_${known}`);
    if (field) campaign[field] ??= valueOf(text);
  }
  return campaign;
}

function valueOf(text: string): string | null {
  const equals = text.indexOf('=');
  return equals < 0 ? null : decoded(text.slice(equals + 1)).trim() || null;
}
