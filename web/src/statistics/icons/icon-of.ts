import brands from './brands.json';
import type { Name } from '../../shared/names';

export type Shape = 'desktop' | 'mobile' | 'tablet' | 'tv' | 'console' | 'wearable' | 'direct' | 'others';

/** What stands in front of a value. */
export type IconKind =
  | { flag: string }
  | { mark: string }
  | { shape: Shape }
  /** A neutral mark: the first letter on one of several tones. */
  | { letter: string; tone: number };

const DEVICES: readonly string[] = ['desktop', 'mobile', 'tablet', 'tv', 'console', 'wearable'];
const SPECIAL = new Map<string, Shape>([
  ['(direct)', 'direct'],
  ['(other)', 'others'],
]);
const TONES = 12;

/** The kinds of values that have icons. */
const ICONS: Partial<Record<Name, (value: string) => IconKind>> = {
  country: (code) => flagOf(code),
  city: flagOfPlace,
  region: flagOfPlace,
  referrer: (host) => markOr(markOfHost(host), host),
  referrer_page: (page) => markOr(markOfHost(page.split('/', 1)[0]!), page),
  source: (source) => markOr(markOfSource(source.toLowerCase()), source),
  browser: (browser) => markOr(markIn(brands.browsers, browser), browser),
  browser_version: (text) => markOr(markIn(brands.browsers, withoutVersion(text)), text),
  operating_system: (system) => markOr(markIn(brands.systems, system), system),
  operating_system_version: (text) => markOr(markIn(brands.systems, withoutVersion(text)), text),
  device: (device) => (DEVICES.includes(device) ? { shape: device as Shape } : letterOf(device)),
};

/** Undefined for names whose values have no icons. */
export function iconOf(name: Name, value: string): IconKind | undefined {
  const icon = ICONS[name];
  if (!icon) return undefined;
  const shape = SPECIAL.get(value);
  return shape ? { shape } : icon(value);
}

/** Of a city or region, whose country stands last. */
function flagOfPlace(place: string): IconKind {
  return flagOf(place.slice(place.lastIndexOf(', ') + 2));
}

function flagOf(code: string): IconKind {
  return /^[A-Z]{2}$/.test(code) ? { flag: code } : letterOf('?');
}

function markOr(mark: string | undefined, value: string): IconKind {
  return mark === undefined ? letterOf(value) : { mark };
}

function markIn(marks: Record<string, string>, key: string): string | undefined {
  return Object.hasOwn(marks, key) ? marks[key] : undefined;
}

const withoutVersion = (text: string) => text.replace(/ \d+$/, '');

/** Looks for the host, and for the domains above it. A brand without a point has domains of many countries. */
function markOfHost(host: string): string | undefined {
  const labels = host.split('.');
  for (let first = 0; first < labels.length; first++) {
    const mark = markIn(brands.domains, labels.slice(first).join('.'));
    if (mark !== undefined) return mark;
  }
  return markIn(brands.domains, ownLabelOf(labels));
}

/** The label in front of a public suffix like `de` or `co.uk`. */
function ownLabelOf(labels: string[]): string {
  const isLong = labels.length > 2 && /^(?:com?|net|org|ac)$/.test(labels.at(-2)!);
  return labels.at(isLong ? -3 : -2) ?? '';
}

function markOfSource(source: string): string | undefined {
  return markOfHost(source) ?? markOfHost(`${source}.com`);
}

function letterOf(value: string): IconKind {
  const [letter = '?'] = /[\p{L}\p{N}]/u.exec(value) ?? [];
  const sum = [...value].reduce((total, sign) => (total * 31 + sign.codePointAt(0)!) % 997, 7);
  return { letter: letter.toUpperCase(), tone: sum % TONES };
}
