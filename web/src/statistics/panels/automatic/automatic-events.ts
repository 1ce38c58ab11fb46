import type { QueriesAnswer, QueryAnswer, QueryToSend } from '../../../shared/api';
import { sinceIn } from '../../coverage';
import { queryFilters } from '../../filters/filters';
import { enteredPercentText } from '../../../shared/format';
import { propertyNamed, type PropertyName } from '../../../shared/names';
import { ENTRIES, type List, type Places, topOfRows, type View } from '../../page-answer';
import { queryRange, type Span } from '../../../shared/ranges';
import { wordsOf } from '../../../shared/language/value-labels';
import { byNumber } from '../number-order';
import type { texts } from '../../../shared/texts';

/** An automatic event of the tracker, whose panel lists one property of it. docs/tracker.md names them. */
export interface AutomaticEvent {
  id: keyof typeof texts.panels;
  event: string;
  name: PropertyName;
  /** Tells whether its values are percents, which are all shown, in their order. */
  isOfPercents?: true;
}

export const AUTOMATIC_EVENTS: readonly AutomaticEvent[] = [
  { id: 'outbound', event: 'Outbound link', name: propertyNamed('url') },
  { id: 'downloads', event: 'File download', name: propertyNamed('url') },
  { id: 'not_found', event: '404', name: propertyNamed('path') },
  { id: 'forms', event: 'Form submission', name: propertyNamed('action') },
  { id: 'scroll', event: 'Scroll', name: propertyNamed('percent'), isOfPercents: true },
];

/** The panels of the listed events, and those of any event that a list of the largest may have left out. */
export function automaticEventsBy(events: List | undefined): AutomaticEvent[] {
  if (!events) return [];
  const listed = new Set(events.entries.map(({ value }) => value));
  const isWhole = events.entries.length >= events.total;
  return AUTOMATIC_EVENTS.filter(({ event }) => !isWhole || listed.has(event));
}

/** There are 101, and anyone may send others. */
const MAX_PERCENTS = 200;

/** One request for all of them; undefined if there are none. */
export function automaticQuery(
  { query, headers }: Places,
  { filters, span }: Pick<View, 'filters' | 'span'>,
  automatic: readonly AutomaticEvent[],
): QueryToSend | undefined {
  if (automatic.length === 0) return undefined;
  const queries = automatic.map(({ name, event, isOfPercents }) => ({
    metrics: ['events', 'visitors'],
    dimensions: [name],
    filters: queryFilters(filters, name, event),
    range: queryRange(span),
    per_page: isOfPercents ? MAX_PERCENTS : ENTRIES,
    unset: false,
  }));
  return { url: query, headers, body: { queries } };
}

export interface AutomaticList extends List {
  automatic: AutomaticEvent;
  /** The day since which it is complete, if that is within the range. */
  since: string | undefined;
}

/** The panels that have entries, from the answers in their order. */
export function automaticLists(
  automatic: readonly AutomaticEvent[],
  { data }: QueriesAnswer,
  span: Span,
  first: string | undefined,
): AutomaticList[] {
  return automatic
    .map((one, index) => {
      const answer = data[index]!;
      return { automatic: one, ...listOf(one, answer), since: sinceIn(answer, span, first) };
    })
    .filter(({ total }) => total > 0);
}

function listOf({ name, isOfPercents }: AutomaticEvent, answer: QueryAnswer): List {
  const { entries, total } = topOfRows(name, answer);
  return { entries: isOfPercents ? byNumber(entries, PERCENT) : entries, total };
}

const PERCENT = /^\d{1,3}$/;

/** A value in words, as short as a row needs it. */
export function automaticWords({ name, isOfPercents }: AutomaticEvent, value: string): string {
  if (isOfPercents && PERCENT.test(value)) return enteredPercentText(Number(value) / 100);
  return wordsOf(name, value).replace(/^https:\/\//, '');
}

/** The event that has this id in addresses. */
export function automaticEventWith(id: string | null): AutomaticEvent | undefined {
  return AUTOMATIC_EVENTS.find((one) => one.id === id);
}
