import { described, isProperty, type Name, PROPERTY, type PropertyName } from './names';
import { texts } from './texts';

/** The heading of a list of a name. */
export const headingOf = (name: Name) => (isProperty(name) ? ownNameOf(name) : texts.names[name]);
/** The word for a single value of a name. */
export const singularOf = (name: Name) => (isProperty(name) ? ownNameOf(name) : texts.filters.names[name]);

/** The website's own name of a property. */
function ownNameOf(name: PropertyName): string {
  return readable(name.slice(PROPERTY.length));
}

const SPECIAL: Record<string, string> = {
  '(direct)': texts.direct,
  '(unknown)': texts.unknown,
  '(other)': texts.merged,
};
/** Control characters, and marks that change the text direction. */
const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

const readable = (text: string) => text.replace(UNREADABLE, '\uFFFD');

/** A value in words. Visitors choose the values. */
export function wordsOf(name: Name, value: string): string {
  return SPECIAL[value] ?? readable(described(name).label?.(value) ?? value);
}
