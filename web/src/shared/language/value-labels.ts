import { appNamed } from './apps';
import { LABELS } from './code-labels';
import { isProperty, type Name, PROPERTY, type PropertyName } from '../names';
import { texts } from '../texts';

/** The heading of a list of a name. */
export const headingOf = (name: Name) => (isProperty(name) ? ownNameOf(name) : texts.names[name]);
/** The word for a single value of a name. */
export const singularOf = (name: Name) => (isProperty(name) ? ownNameOf(name) : texts.filters.names[name]);

/** The website's own name of a property. */
function ownNameOf(name: PropertyName): string {
  return readable(name.slice(PROPERTY.length));
}

const SPECIAL = new Map([
  ['(direct)', texts.direct],
  ['(unknown)', texts.unknown],
  ['(other)', texts.merged],
]);
/** Control characters, and marks that change the text direction. */
const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

export const readable = (text: string) => text.replace(UNREADABLE, '\uFFFD');

/** A value in words, as searches and files have it. Visitors choose the values. */
export function labelOf(name: Name, value: string): string {
  return SPECIAL.get(value) ?? readable(LABELS[name]?.(value) ?? value);
}

/** Values that a page shows in fewer words. */
const SHORT: Partial<Record<Name, (value: string) => string | undefined>> = {
  referrer: appNamed,
  city: (value) => value.split(', ', 1)[0],
  region: (value) => value.replace(/, [A-Z]{2}$/, ''),
  device: (value) => (Object.hasOwn(texts.devices, value) ? texts.devices[value] : undefined),
  screen_resolution: (value) => value.replace(/^(\d+)x(\d+)$/, '$1×$2'),
};

/** A value in words, as short as a row needs it. */
export function wordsOf(name: Name, value: string): string {
  const short = SPECIAL.has(value) ? undefined : SHORT[name]?.(value);
  return short === undefined ? labelOf(name, value) : readable(short);
}

/** A value in words that no other value has. */
export function wholeOf(name: Name, value: string): string {
  const words = wordsOf(name, value);
  if (name === 'city' || name === 'region') return labelOf(name, value);
  return name === 'referrer' && appNamed(value) ? `${words} (${value})` : words;
}

/** The region of a city; empty if it is not known. */
export function regionOf(city: string): string {
  return readable(city.split(', ').slice(1, -1).join(', '));
}
