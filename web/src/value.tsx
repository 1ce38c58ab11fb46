import type { StatEntry, StatName } from './api';
import { texts } from './texts';

const SPECIAL: Record<string, string> = {
  '(direct)': texts.direct,
  '(unknown)': texts.unknown,
  '(other)': texts.merged,
};
/** Controls, and marks that turn the direction of what follows. */
const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;
const HOST = /^(?=.*\.)[a-z0-9.-]+$/;

export function textOf({ value, label }: StatEntry): string {
  return SPECIAL[value] ?? label.replace(UNREADABLE, '\uFFFD');
}

/** The plain web address that a page or a referrer stands for, if it is one; visitors choose what values are. */
export function linkOf(name: StatName, value: string, domain: string): string | undefined {
  if (name === 'page') return pageOf(value, domain);
  return name === 'referrer' && HOST.test(value) && URL.canParse(`https://${value}/`)
    ? `https://${value}/`
    : undefined;
}

function pageOf(path: string, domain: string): string | undefined {
  if (!path.startsWith('/') || !URL.canParse(`https://${domain}${path}`)) return undefined;
  const url = new URL(`https://${domain}${path}`);
  return url.host === domain && url.protocol === 'https:' ? url.href : undefined;
}

interface Props {
  name: StatName;
  entry: StatEntry;
  domain: string;
}

/** A value as text that can do nothing, beside a link where it is an address. */
export function Value({ name, entry, domain }: Props) {
  const text = textOf(entry);
  const link = linkOf(name, entry.value, domain);
  return (
    <span class="value" title={text}>
      <bdi>{text}</bdi>
      {link && (
        <a
          href={link}
          target="_blank"
          rel="noopener noreferrer nofollow"
          class="visit"
          aria-label={texts.visit(text)}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M6 3.5H3.5v9h9V10M9 3h4v4M12.5 3.5 7.5 8.5" />
          </svg>
        </a>
      )}
    </span>
  );
}
