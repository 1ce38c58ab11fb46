import { ParameterRules } from './excluded-parameters';

/** Parameters that advertising services add to links. */
const CLICK_IDS = `
  gclid gbraid wbraid dclid fbclid msclkid twclid ttclid li_fat_id rdt_cid sccid epik qclid tblci dicbo
  yclid ymclid irclickid rb_clickid`;

/** Tracking parameters of other services. Names that websites use for themselves are not listed. */
const TRACKING = `
  utm_* mtm_* pk_campaign pk_keyword pk_kwd pk_source pk_medium pk_content pk_cid hsa_* matomo_* piwik_*
  gclsrc gad_* srsltid _ga _gl
  fb_action_ids fb_action_types fb_source fb_ref igshid igsh
  ysclid _openstat
  mc_cid mc_eid _hsenc _hsmi __hssc __hstc __hsfp hsctatracking _kx mkt_tok __s
  vero_id vero_conv oly_* ml_subscriber ml_subscriber_hash sfmc_* bsft_* dm_i elqtrack elqtrackid
  s_kwcid s_cid ef_id wickedid irgwc cjevent guccounter guce_referrer guce_referrer_sig
  _branch_match_id _branch_referrer`;

/**
 * Parameters with secrets or people's addresses. `code`, `key`, `state` and `user` are not listed: many websites use
 * them for products, translations and the like.
 */
const PRIVATE = `
  token *_token *-token accesstoken authtoken idtoken refreshtoken resettoken csrfmiddlewaretoken _csrf csrf xsrf
  auth authorization authkey auth_key credential credentials bearer jwt samlrequest samlresponse
  password passwd passwort passphrase passcode pwd *_password *-password
  secret *_secret *-secret otp totp
  session session_id session-id sessionid sess_id sid jsessionid phpsessid asp.net_sessionid aspsessionid*
  api_key api-key apikey x-api-key access_key access-key accesskey private_key private-key
  signature x-amz-signature x-amz-credential x-amz-security-token x-goog-signature x-goog-credential
  email e-mail e_mail mail *_email *-email useremail email_address emailaddress
  phone_number phonenumber telephone`;

const clickIds = new Set(namesIn(CLICK_IDS));
const trackingNames = new ParameterRules(namesIn(CLICK_IDS + TRACKING).join('\n'));
const privateNames = new ParameterRules(namesIn(PRIVATE).join('\n'));

/** Tells whether a parameter with this decoded name is removed on every website. */
export function isAlwaysRemoved(name: string): boolean {
  return trackingNames.excludes(name.toLowerCase()) || isPrivate(name);
}

/** Tells whether a value with this decoded name is a secret or a person's address. */
export function isPrivate(name: string): boolean {
  return privateNames.excludes(name.toLowerCase());
}

/** The kind of click ID in a parameter with this decoded name; null for other parameters. */
export function clickIdOf(name: string): string | null {
  const kind = name.toLowerCase();
  return clickIds.has(kind) ? kind : null;
}

function namesIn(list: string): string[] {
  return list.trim().split(/\s+/);
}
