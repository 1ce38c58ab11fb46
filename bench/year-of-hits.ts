import { VISITOR_BYTES } from '../engine/ground/visitor-bytes';
import { type Hit, NO_HIT } from '../engine/hits/hit';

const PAGES = 20_000;
const CITIES = 15_000;
const COUNTRIES = ['US', 'DE', 'GB', 'FR', 'IN', 'BR', 'CA', 'NL', 'ES', 'IT', 'PL', 'JP', 'AU', 'SE', 'CH'];
const BROWSERS = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Opera', 'Samsung Internet'];
const SYSTEMS = ['Windows', 'Android', 'iOS', 'macOS', 'Linux'];
const DEVICES = ['desktop', 'mobile', 'tablet'];
const LANGUAGES = ['en-US', 'de-DE', 'fr-FR', 'es-ES', 'pt-BR', 'ja-JP'];
const SCREENS = ['1920x1080', '390x844', '1440x900', '1536x864', '2560x1440', '412x915'];
const EVENTS = ['signup', 'download', 'play', 'search'];
const HITS_OF_VISITOR = 3;
const SECONDS_OF_DAY = 86_400;
/** Mostly within a visit, sometimes before a later one. */
const PAUSES_S = [20, 45, 90, 180, 600, 4000];

/** Pseudo-random numbers, the same in each run. */
export class Chance {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * limit);
  }

  /** Small numbers are the most frequent, like the first values of a list. */
  skewed(limit: number): number {
    return Math.floor(limit ** (this.below(2 ** 30) / 2 ** 30)) - 1;
  }

  one<T>(list: readonly T[]): T {
    return list[this.skewed(list.length)]!;
  }
}

/** The hits of a day, visitor by visitor. */
export function hitsOf(day: number, size: number): Hit[] {
  const chance = new Chance(day);
  const hits: Hit[] = [];
  for (let visitor = 0; hits.length < size; visitor++) {
    const own = visitorOf(day, visitor, chance);
    let at = day * SECONDS_OF_DAY + chance.below(SECONDS_OF_DAY);
    const last = (day + 1) * SECONDS_OF_DAY - 1;
    const many = Math.min(size - hits.length, 1 + chance.below(2 * HITS_OF_VISITOR));
    for (let hit = 0; hit < many; hit++) {
      const isFirst = hit === 0;
      const isEvent = chance.below(100) < 3;
      const number = chance.skewed(PAGES);
      hits.push({
        ...own,
        at,
        page: number === 0 ? '/pricing' : `/docs/section-${number % 97}/page-${number}`,
        event: isEvent ? chance.one(EVENTS) : null,
        referrer: isFirst && chance.below(2) === 0 ? `site-${chance.skewed(500)}.example` : null,
        campaign: isFirst && chance.below(20) === 0 ? `campaign-${chance.skewed(20)}` : null,
      });
      at += PAUSES_S[chance.below(PAUSES_S.length)]!;
      // No two hits of a visitor have the same moment: other databases would order them arbitrarily.
      if (at > last) break;
    }
  }
  return hits;
}

function visitorOf(day: number, visitor: number, chance: Chance): Hit {
  const city = chance.skewed(CITIES);
  return {
    ...NO_HIT,
    day,
    visitor: nameOf(visitor),
    page: '/',
    browser: chance.one(BROWSERS),
    operatingSystem: chance.one(SYSTEMS),
    device: chance.one(DEVICES),
    language: chance.one(LANGUAGES),
    screen: chance.one(SCREENS),
    continent: 'EU',
    country: COUNTRIES[city % COUNTRIES.length]!,
    city: `City ${city}`,
    browserVersion: String(100 + chance.skewed(20)),
    hostname: 'year.example',
  };
}

/** The number of a visitor, and bits that are spread like those of a hash: tables of hashes rely on that. */
function nameOf(visitor: number): string {
  const hash = Buffer.alloc(VISITOR_BYTES);
  hash.writeUInt32LE(visitor);
  hash.writeInt32LE(spread(visitor), 4);
  return hash.toString('base64url');
}

function spread(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
