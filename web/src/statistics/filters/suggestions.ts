import { urlOf } from '../../shared/api';
import { searchFor } from '../../shared/language/code-labels';
import { isMerged, type Name } from '../../shared/names';
import type { Places } from '../page-answer';
import type { Reading } from '../reading';
import { useAnswer } from '../../shared/use-answer';
import { useTyped } from '../../shared/controls/search';
import { labelOf, wordsOf } from '../../shared/language/value-labels';

const SUGGESTED = 25;

const lower = (text: string) => text.toLowerCase();

export interface Suggested {
  /** Values of a name that have the typed text, and the text itself. */
  values: string[];
  /** The typed text, if it is no known value. */
  own: string | undefined;
  /** The value that a typed text is meant to be. */
  meant: string | undefined;
  /** How often each came, where it is known. */
  counts: ReadonlyMap<string, number>;
  /** Tells whether values for the typed text may still come. */
  isOld: boolean;
}

export function useSuggestions({ places }: Reading, name: Name, typed: string, isPart: boolean): Suggested {
  const search = useTyped(typed);
  const { known, counts, isLoading } = useKnown(places, name, search);
  const isOld = search !== typed || isLoading;
  const found = isOld ? known.filter((value) => hasText(name, value, typed)) : known;
  return { isOld, counts, ...suggested(name, found, typed, isPart) };
}

/** The values of a name that have a text. Nothing is loaded without a name. */
export function useKnown(places: Places, name: Name | undefined, search: string) {
  const url = name === undefined ? undefined : valuesUrl(places, name, search);
  const { data, isLoading } = useAnswer<{ data: Known[] }>(url);
  const valueOf = (one: Known) => (isNamed(name) ? one.name : one.value) ?? '';
  const found = (data?.data ?? []).filter((one) => !isMerged(valueOf(one)));
  const counted = found.flatMap((one) =>
    one.count === undefined ? [] : [[valueOf(one), one.count] as const],
  );
  return { known: found.map(valueOf), counts: new Map(counted), isLoading };
}

interface Known {
  value?: string;
  name?: string;
  count?: number;
}

/** Goals and saved filters are no values of hits, and have lists of their own. A goal may have a value in money. */
const isNamed = (name: Name | undefined) => name === 'goal' || name === 'saved';

function valuesUrl(places: Places, name: Name, search: string): string | undefined {
  if (isNamed(name)) {
    const list = { goal: places.goals, saved: places.saved }[name];
    return list && urlOf(list, { search, per_page: SUGGESTED });
  }
  return urlOf(places.values, { name, search: searchFor(name, search), per_page: SUGGESTED });
}

function hasText(name: Name, value: string, text: string): boolean {
  return [value, labelOf(name, value), wordsOf(name, value)].some((one) => lower(one).includes(lower(text)));
}

/** A text is a value of these words, or the first that has it; where parts of values are matched, it is itself. */
export function suggested(name: Name, found: readonly string[], typed: string, isPart: boolean) {
  const own = typed === '' || found.includes(typed) ? undefined : typed;
  const added = own === undefined ? [] : [own];
  if (isPart) return { own, values: [...added, ...found], meant: typed === '' ? undefined : typed };
  const isNamed = (value: string) => [value, wordsOf(name, value)].some((one) => lower(one) === lower(typed));
  const meant = typed === '' ? undefined : (found.find(isNamed) ?? found[0] ?? typed);
  return { own, values: [...found, ...added], meant };
}
