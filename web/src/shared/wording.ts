import { described, isProperty, type Name, PROPERTY, type PropertyName } from './names';
import { texts } from './texts';

/** What a list of a name is headed by. */
export const headingOf = (name: Name) => (isProperty(name) ? ownNameOf(name) : texts.names[name]);
/** What a single value of it is. */
export const singularOf = (name: Name) => (isProperty(name) ? ownNameOf(name) : texts.filters.names[name]);

/** What the website calls a property. */
function ownNameOf(name: PropertyName): string {
  return readable(name.slice(PROPERTY.length));
}

const SPECIAL: Record<string, string> = {
  '(direct)': texts.direct,
  '(unknown)': texts.unknown,
  '(other)': texts.merged,
};
/** Controls, and marks that turn the direction of what follows. */
const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

const readable = (text: string) => text.replace(UNREADABLE, '\uFFFD');

/** A value in words; visitors choose what values are. */
export function wordsOf(name: Name, value: string): string {
  return SPECIAL[value] ?? readable(described(name).label?.(value) ?? value);
}
