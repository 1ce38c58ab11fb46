import { createHmac } from 'node:crypto';
import { CITIES, PAGES, rarePage } from './demo-data';

/** The properties of a demo visit. */
interface DemoVisit {
  address: string;
  userAgent: string;
  language: string;
  screen: string;
  referrer: string | null;
  campaign: DemoCampaign | null;
}

interface DemoCampaign {
  source: string;
  medium: string;
  name: string;
}

/** An event as a page would send it. */
interface DemoEvent {
  name: string;
  props?: Record<string, string | number | boolean>;
  value?: string;
  currency?: string;
}

const DESKTOPS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
  'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0',
];
const MOBILES = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
];
const DESKTOP_SCREENS = ['1920x1080', '1536x864', '2560x1440', '1366x768', '1440x900', '3840x2160'];
const MOBILE_SCREENS = ['390x844', '360x800', '412x915', '393x873', '820x1180'];
const LANGUAGES = [
  'en-US',
  'en-GB',
  'de-DE',
  'fr-FR',
  'es-ES',
  'pt-BR',
  'ja-JP',
  'nl-NL',
  'it-IT',
  'pl-PL',
  'zh-CN',
  'sv-SE',
];
const REFERRERS = [
  'https://www.google.com/',
  'https://duckduckgo.com/',
  'https://www.bing.com/search?q=analytics',
  'https://news.ycombinator.com/item?id=1',
  'https://www.reddit.com/r/selfhosted/',
  'https://t.co/x',
  'https://github.com/topics/analytics',
  'https://www.linkedin.com/feed/',
  'android-app://com.slack/',
];
const CAMPAIGNS: DemoCampaign[] = [
  { source: 'google', medium: 'cpc', name: 'spring-sale' },
  { source: 'newsletter', medium: 'email', name: 'newsletter' },
  { source: 'producthunt', medium: 'referral', name: 'launch' },
  { source: 'facebook', medium: 'paid-social', name: 'retargeting' },
  { source: 'newsletter', medium: 'email', name: 'webinar' },
];
const EVENTS = ['signup', 'download', 'contact', 'search', 'video-play', 'purchase'];
const PLANS = ['free', 'team', 'business'];
const FILES = ['whitepaper.pdf', 'desktop.dmg', 'desktop.exe'];
const PRICES = ['49.00', '9.00', '199.00', '499.50'];
const CURRENCIES = ['EUR', 'USD', 'GBP'];
const NUMBER_OF_PAGES = 20_000;
const NUMBER_OF_PLACES = 30_000;

/** Realistic traffic, reproducible for the same seed and day. */
export class DemoTraffic {
  private state: number;

  constructor(seed: number, day: number) {
    const mixed = createHmac('sha256', String(seed)).update(String(day)).digest();
    this.state = mixed.readUInt32LE(0);
  }

  visit(): DemoVisit {
    const mobile = this.random() < 0.45;
    const { address, language } = this.place();
    return {
      address,
      userAgent: this.pick(mobile ? MOBILES : DESKTOPS),
      language,
      screen: this.pick(mobile ? MOBILE_SCREENS : DESKTOP_SCREENS),
      referrer: this.random() < 0.55 ? this.pick(REFERRERS) : null,
      campaign: this.random() < 0.06 ? this.pick(CAMPAIGNS) : null,
    };
  }

  /** The number of hits in a visit. */
  length(): number {
    return 1 + Math.floor(-Math.log(1 - this.random()) * 2);
  }

  page(): string {
    const rank = this.zipf(NUMBER_OF_PAGES);
    return PAGES[rank] ?? rarePage(rank);
  }

  event(): DemoEvent | null {
    return this.random() < 0.05 ? this.detailed(this.pick(EVENTS)) : null;
  }

  /** A second of the day; fewer are at night. */
  second(): number {
    const shares = [this.random(), this.random(), this.random()];
    return Math.floor(((shares[0]! + shares[1]! + shares[2]!) / 3) * 86_400);
  }

  private detailed(name: string): DemoEvent {
    switch (name) {
      case 'signup':
        return { name, props: { plan: this.pick(PLANS) } };
      case 'download':
        return { name, props: { file: this.pick(FILES) } };
      case 'search':
        return { name, props: { results: this.zipf(100) } };
      case 'video-play':
        return { name, props: { muted: this.random() < 0.5 } };
      case 'purchase':
        return {
          name,
          props: { plan: this.pick(PLANS) },
          value: this.pick(PRICES),
          currency: this.pick(CURRENCIES),
        };
      default:
        return { name };
    }
  }

  /** Ranks follow Zipf's law: the first is about as frequent as the next two together. */
  private zipf(most: number): number {
    return Math.floor(Math.pow(most + 1, this.random())) - 1;
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.zipf(items.length)]!;
  }

  /** An address in a large city or in one of many places worldwide, and a language. */
  private place(): { address: string; language: string } {
    const rank = this.zipf(NUMBER_OF_PLACES);
    const [network, spoken] = CITIES[rank] ?? [networkOf(rank), undefined];
    const address = `${network}.${Math.floor(this.random() * 250) + 1}`;
    const foreign = this.pick(LANGUAGES);
    return { address, language: spoken !== undefined && this.random() < 0.85 ? spoken : foreign };
  }

  /** Mulberry32: small, and random enough for a demo. */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}

function networkOf(place: number): string {
  const bytes = createHmac('sha256', 'place').update(String(place)).digest();
  const first = 11 + (bytes[0]! % 180);
  return `${first === 127 ? 128 : first}.${bytes[1]}.${bytes[2]}`;
}
