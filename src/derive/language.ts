import { ByteCache, bytesOfText } from '../../engine/ground/memory/byte-cache';
import { UNKNOWN } from './cut-value';

const MAX_TAG_LENGTH = 100;
const MAX_HEADER_LENGTH = 1000;
/** Browsers send no more. Each invalid tag takes as long as an exception. */
const MAX_TAGS = 10;
/** `Intl.Locale` rejects everything else, but takes a hundred times as long. */
const TAG = /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i;
const tags = new ByteCache<string>('languages', bytesOfText);

/** The visitor's language as `language[-Script][-REGION]`: the page's value, or else the request's header. */
export function deriveLanguage(
  tag: string | null | undefined,
  acceptLanguage: string | null | undefined,
): string {
  const own = tag ? known(tag) : UNKNOWN;
  if (own !== UNKNOWN || !acceptLanguage) return own;
  for (const accepted of preferred(acceptLanguage)) {
    const language = known(accepted);
    if (language !== UNKNOWN) return language;
  }
  return UNKNOWN;
}

/** The tags of an Accept-Language header, the best first. */
function preferred(header: string): string[] {
  return header
    .slice(0, MAX_HEADER_LENGTH)
    .split(',', MAX_TAGS)
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
  return tag.length > MAX_TAG_LENGTH ? UNKNOWN : tags.getOrMake(tag, canonical);
}

function canonical(sent: string): string {
  const tag = sent.trim().replaceAll('_', '-');
  if (!TAG.test(tag)) return UNKNOWN;
  try {
    const { language, script, region } = new Intl.Locale(tag);
    return !language || language === 'und' ? UNKNOWN : [language, script, region].filter(Boolean).join('-');
  } catch {
    return UNKNOWN;
  }
}
