import { BoundedCache } from '../common/bounded-cache';
import { UNKNOWN } from './unknown';

const LONGEST_TAG = 100;
const LONGEST_HEADER = 1000;
const tags = new BoundedCache<string>(1000);

/** The language a visitor reads, as `language[-Script][-REGION]`: what the page says, or else the request's header. */
export function deriveLanguage(
  tag: string | null | undefined,
  acceptLanguage: string | null | undefined,
): string {
  const own = tag ? known(tag) : UNKNOWN;
  if (own !== UNKNOWN || !acceptLanguage) return own;
  return (
    preferred(acceptLanguage)
      .map(known)
      .find((language) => language !== UNKNOWN) ?? UNKNOWN
  );
}

/** The tags of an Accept-Language header, the best first. */
function preferred(header: string): string[] {
  return header
    .slice(0, LONGEST_HEADER)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice('q='.length);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}

function known(tag: string): string {
  return tag.length > LONGEST_TAG ? UNKNOWN : tags.get(tag, canonical);
}

function canonical(tag: string): string {
  try {
    const { language, script, region } = new Intl.Locale(tag.trim().replaceAll('_', '-'));
    if (language === 'und' || language.length > 3) return UNKNOWN;
    return [language, script, region].filter(Boolean).join('-');
  } catch {
    return UNKNOWN;
  }
}
