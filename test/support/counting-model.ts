import { createHash } from 'node:crypto';

/** An event as a server sends it. */
export interface SentEvent {
  id: string;
  url: string;
  referrer: string | null;
  language: string | null;
  screen: string | null;
  event: { name: string; passive?: boolean } | null;
  ip: string;
  user_agent: string;
  occurred_at: string;
}

export interface ModelWebsite {
  domain: string;
  timezone: string;
  excludedParameters: string[];
  excludedAddress: string;
}

type Verdict = { status: 'accepted' | 'duplicate' } | { status: 'dropped'; reason: 'bot' | 'ip' };
type Known<T> = Readonly<Record<string, T>>;

const UNKNOWN = '(unknown)';
const MAX_BYTES = 1024;
const KEPT_BYTES = MAX_BYTES - 16 - Buffer.byteLength('…');

/** The expected results for agents, without bots. */
export const AGENTS: Known<{ browser: string; operating_system: string; device: string }> = {
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36':
    { browser: 'Chrome', operating_system: 'Windows', device: 'desktop' },
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36':
    { browser: 'Chrome', operating_system: 'Android', device: 'mobile' },
  'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1':
    { browser: 'Safari', operating_system: 'iOS', device: 'tablet' },
  'Mozilla/5.0 (compatible; thing)': { browser: UNKNOWN, operating_system: UNKNOWN, device: UNKNOWN },
};

/** The expected places of addresses. */
export const PLACES: Known<{ continent: string; country: string; city: string }> = {
  '8.8.8.8': { continent: 'NA', country: 'US', city: 'Mountain View, California, US' },
  '193.0.6.139': { continent: 'EU', country: 'NL', city: 'Amsterdam, North Holland, NL' },
  '203.0.113.7': { continent: UNKNOWN, country: UNKNOWN, city: UNKNOWN },
  '2001:db8::7': { continent: UNKNOWN, country: UNKNOWN, city: UNKNOWN },
};

/** The language that a browser's tag counts as. */
export const LANGUAGES: Known<string> = {
  'de-DE': 'de-DE',
  'DE-de': 'de-DE',
  de_AT: 'de-AT',
  fr: 'fr',
  'zh-hant-tw': 'zh-Hant-TW',
  '?': UNKNOWN,
};

/** The statistics as the documentation promises them, in memory, one event after the other. */
export class CountingModel {
  private readonly ids = new Set<string>();
  private readonly seen = new Set<string>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly website: ModelWebsite) {}

  accept(sent: SentEvent): Verdict {
    if (sent.ip === this.website.excludedAddress) return this.drop(sent, 'ip');
    if (!AGENTS[sent.user_agent]) return this.drop(sent, 'bot');
    if (!isNewTo(this.ids, sent.id)) return { status: 'duplicate' };
    this.count(sent);
    return { status: 'accepted' };
  }

  /** The entries of a range by count, and by code point if counts are equal. */
  entries(name: string, from: string, to: string): { value: string; count: number }[] {
    const sums = new Map<string, number>();
    for (const [key, count] of this.counts) {
      const [counted, day, value] = JSON.parse(key) as [string, string, string];
      if (counted === name && day >= from && day <= to) sums.set(value, (sums.get(value) ?? 0) + count);
    }
    return [...sums]
      .map(([value, count]) => ({ value, count }))
      .sort((one, other) => other.count - one.count || byCodePoint(one.value, other.value));
  }

  private drop(sent: SentEvent, reason: 'bot' | 'ip'): Verdict {
    this.add('dropped', this.dayOf(sent), reason);
    return { status: 'dropped', reason };
  }

  private count(sent: SentEvent): void {
    const day = this.dayOf(sent);
    const add = (name: string, value: string) => this.add(name, day, cut(value));
    if (sent.event) add('event', sent.event.name);
    else {
      add('pageview', day);
      add('page', this.pageOf(sent.url));
    }
    this.countVisitor(sent, day, add);
  }

  private countVisitor(sent: SentEvent, day: string, add: (name: string, value: string) => void): void {
    const visitor = JSON.stringify([day, sent.ip, sent.user_agent]);
    const referrer = this.referrerOf(sent.referrer);
    const campaign = campaignOf(sent.url);
    if (isNewTo(this.seen, visitor)) {
      add('visitor', day);
      const { language, screen } = sent;
      const told = { ...AGENTS[sent.user_agent], ...PLACES[sent.ip] };
      for (const [name, value] of Object.entries(told)) add(name, value);
      add('language', language === null ? UNKNOWN : LANGUAGES[language]!);
      add('screen_resolution', screen ?? UNKNOWN);
      if (referrer === null) add('referrer', '(direct)');
    }
    if (referrer !== null && isNewTo(this.seen, `${visitor} from ${referrer}`)) add('referrer', referrer);
    if (campaign !== null && isNewTo(this.seen, `${visitor} with ${campaign}`)) add('campaign', campaign);
  }

  private add(name: string, day: string, value: string): void {
    const key = JSON.stringify([name, day, value]);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  private dayOf(sent: SentEvent): string {
    return dayIn(this.website.timezone, Date.parse(sent.occurred_at));
  }

  private pageOf(url: string): string {
    const { path, parameters } = partsOf(url);
    const kept = parameters.filter((parameter) => {
      const [name = ''] = parameter.split('=');
      return !/^(utm_.*|gclid|fbclid)$/.test(name) && !this.website.excludedParameters.includes(name);
    });
    return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
  }

  private referrerOf(referrer: string | null): string | null {
    const host = /^[a-z-]+:\/\/(?:www\.)?([^/:]+)/i.exec(referrer ?? '')?.[1]?.toLowerCase();
    return host === undefined || host === this.website.domain ? null : host;
  }
}

/** A day of a time zone, `Y-m-d`. */
export function dayIn(timezone: string, moment: number): string {
  return new Date(moment).toLocaleDateString('sv-SE', { timeZone: timezone });
}

function campaignOf(url: string): string | null {
  const sent = partsOf(url).parameters.find((parameter) => parameter.startsWith('utm_campaign='));
  return sent ? decodeURIComponent(sent.slice('utm_campaign='.length).replaceAll('+', ' ')) : null;
}

function partsOf(url: string): { path: string; parameters: string[] } {
  const [, path, query] = /^https?:\/\/[^/?#]+([^?#]*)\??([^#]*)/.exec(url)!;
  return { path: path || '/', parameters: query ? query.split('&') : [] };
}

/** Assumes that long texts have one byte per character, as in the model. */
function cut(value: string): string {
  if (Buffer.byteLength(value) <= MAX_BYTES) return value;
  return `${value.slice(0, KEPT_BYTES)}…${createHash('sha256').update(value).digest('hex').slice(0, 16)}`;
}

function isNewTo(known: Set<string>, key: string): boolean {
  const isNew = !known.has(key);
  known.add(key);
  return isNew;
}

function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
