import type { ComponentChildren } from 'preact';
import { linkTo } from '../../shared/address';
import { isApp } from '../../shared/language/apps';
import { linkToFilters } from '../filters/add-button';
import { type Filter, mayAdd, plus } from '../filters/filters';
import { described, type Name, propertyNamed } from '../../shared/names';
import { Icon } from '../icons/icon';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';
import { type AutomaticEvent, automaticWords } from './automatic/automatic-events';
import { wholeOf, wordsOf } from '../../shared/language/value-labels';

const HOST = /^(?=.*\.)[a-z0-9.-]+$/;
const PAGES: readonly Name[] = ['page', 'entry_page', 'exit_page'];
const REFERRERS: readonly Name[] = ['referrer', 'referrer_page'];

/** The web address of a page or referrer, if it has one. Visitors choose the values, so it is checked. */
function linkOf(name: Name, value: string, domain: string): string | undefined {
  if (PAGES.includes(name)) return pageOf(value, domain);
  return REFERRERS.includes(name) ? referrerOf(value) : undefined;
}

/** Takes a host, or a page without its scheme. An app has no address. */
function referrerOf(value: string): string | undefined {
  const [host = ''] = value.split('/');
  if (!HOST.test(host) || isApp(host) || !URL.canParse(`https://${value}`)) return undefined;
  const url = new URL(`https://${value}`);
  return url.host === host ? url.href : undefined;
}

function pageOf(path: string, domain: string): string | undefined {
  if (!path.startsWith('/') || !URL.canParse(`https://${domain}${path}`)) return undefined;
  const url = new URL(`https://${domain}${path}`);
  return url.host === domain && url.protocol === 'https:' ? url.href : undefined;
}

interface Props {
  name: Name;
  value: string;
  /** Filters by its event as well. */
  automatic?: AutomaticEvent | undefined;
  filters: Filter[];
  reading: Reading;
  /** Further lines of the tooltip. */
  details?: string[];
  children?: ComponentChildren;
}

/** A value as text that filters, beside a link if it is an address. */
export function Value({ name, value, automatic, filters, reading, details = [], children }: Props) {
  const text = automatic ? automaticWords(automatic, value) : wordsOf(name, value);
  const whole = automatic?.isOfPercents ? text : wholeOf(name, value);
  const others = automatic ? plus(filters, 'event', automatic.event) : filters;
  const link = linkOf(name, value, reading.domain);
  return (
    <span class="value" title={[whole, ...details].join('\n')}>
      <Icon name={name} value={value} />
      {described(name).isListed ? (
        <a
          class="pick"
          {...linkTo({ properties: propertyNamed(value) })}
          aria-label={texts.propertyValues(whole)}
        >
          <bdi>{text}</bdi>
        </a>
      ) : mayAdd(others, name, reading, value) ? (
        <a class="pick" {...linkToFilters(plus(others, name, value))} aria-label={texts.filters.by(whole)}>
          <bdi>{text}</bdi>
        </a>
      ) : (
        <bdi>{text}</bdi>
      )}
      {children}
      {link && (
        <a
          href={link}
          target="_blank"
          rel="noopener noreferrer nofollow"
          class="visit"
          aria-label={texts.visit(whole)}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M6 3.5H3.5v9h9V10M9 3h4v4M12.5 3.5 7.5 8.5" />
          </svg>
        </a>
      )}
    </span>
  );
}
