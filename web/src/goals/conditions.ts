import { isName, type Name, PROPERTY } from '../shared/names';
import { texts } from '../shared/texts';
import { headingOf, singularOf, wordsOf } from '../shared/language/value-labels';
import { asJson, type Filter, type FilterJson, OPERATORS, savedFilter } from '../statistics/filters/filters';
import type { StoredFilters } from './definitions';
import { words } from './words';

export const KINDS = ['page', 'pattern', 'event', 'goal', 'saved'] as const;
export type ConditionKind = (typeof KINDS)[number];
export const MATCHES = ['starts', 'ends', 'contains'] as const;
export type Match = (typeof MATCHES)[number];

/** What a hit must be, as forms have it. Texts that do not belong to its kind are ignored. */
export interface Condition {
  kind: ConditionKind;
  text: string;
  /** For similar pages. */
  match: Match;
  /** Of an event; empty for none. */
  property: string;
  /** Empty for any. */
  propertyValue: string;
}

export const NO_CONDITION: Condition = {
  kind: 'page',
  text: '',
  match: 'starts',
  property: '',
  propertyValue: '',
};

/** An event has the page that sent it, so a page alone would be its events as well. */
const IS_VIEW: FilterJson = ['is', 'event', [null]];

export function filtersOf({ kind, text, match, property, propertyValue }: Condition): FilterJson[] {
  const name: Name = `${PROPERTY}${property}`;
  switch (kind) {
    case 'page':
      return [['is', 'page', [text]], IS_VIEW];
    case 'pattern':
      return [[match, 'page', [text]], IS_VIEW];
    case 'goal':
      return [['is', 'goal', [text]]];
    case 'saved':
      return [['saved', text]];
    case 'event':
      if (property === '') return [['is', 'event', [text]]];
      return [
        ['is', 'event', [text]],
        propertyValue === '' ? ['is_not', name, [null]] : ['is', name, [propertyValue]],
      ];
  }
}

/** The condition that a form would have stored like this; undefined for filters of any other form. */
export function conditionOf(filters: StoredFilters): Condition | undefined {
  const tests = filters.map(testOf);
  const [first, second] = tests;
  if (!first || first.value === null || tests.length > 2 || tests.includes(undefined)) return undefined;
  switch (first.name) {
    case 'page':
      return isView(second) ? pageOf(first) : undefined;
    case 'event':
      return first.operator === 'is' ? eventOf(first.value, second) : undefined;
    case 'goal':
    case 'saved':
      return second ? undefined : namedOf(first, first.name);
    default:
      return undefined;
  }
}

function namedOf({ operator, value }: Test, kind: 'goal' | 'saved'): Condition | undefined {
  return operator === 'is' ? { ...NO_CONDITION, kind, text: value! } : undefined;
}

function pageOf({ operator, value }: Test): Condition | undefined {
  if (operator === 'is') return { ...NO_CONDITION, text: value! };
  const match = MATCHES.find((one) => one === operator);
  return match && { ...NO_CONDITION, kind: 'pattern', match, text: value! };
}

function eventOf(text: string, second: Test | undefined): Condition | undefined {
  const event: Condition = { ...NO_CONDITION, kind: 'event', text };
  if (!second) return event;
  const { operator, name, value } = second;
  if (!name.startsWith(PROPERTY)) return undefined;
  const property = name.slice(PROPERTY.length);
  if (operator === 'is' && value !== null) return { ...event, property, propertyValue: value };
  return operator === 'is_not' && value === null ? { ...event, property } : undefined;
}

interface Test {
  operator: string;
  name: string;
  value: string | null;
}

/** A test of a single value. A saved filter is one of its name. */
function testOf(json: unknown): Test | undefined {
  if (!Array.isArray(json)) return undefined;
  const [operator, name, values] = json as unknown[];
  if (typeof operator !== 'string' || typeof name !== 'string') return undefined;
  if (operator === 'saved') return { operator: 'is', name: operator, value: name };
  if (!Array.isArray(values)) return undefined;
  const [value, ...others] = values as unknown[];
  if (others.length > 0 || (typeof value !== 'string' && value !== null)) return undefined;
  return { operator, name, value };
}

function isView(test: Test | undefined): boolean {
  return test?.operator === 'is' && test.name === 'event' && test.value === null;
}

/** Stored filters in words. Those of forms that the pages do not have are shown as they are. */
export function conditionText(filters: StoredFilters): string {
  const condition = conditionOf(filters);
  return condition ? textOf(condition) : filters.map(filterText).join(words.conditions.and);
}

function textOf({ kind, text, match, property, propertyValue }: Condition): string {
  const { conditions, goals } = words;
  if (kind === 'pattern') return conditions.pattern(goals.matches[match], text);
  if (kind === 'saved') return texts.filters.saved(text);
  const whole = conditions[kind](wordsOf(kind, text));
  if (kind !== 'event' || property === '') return whole;
  const name = headingOf(`${PROPERTY}${property}`);
  const detail =
    propertyValue === '' ? conditions.anyProperty(name) : conditions.property(name, propertyValue);
  return whole + conditions.and + detail;
}

function filterText(json: unknown): string {
  const filter = filterOf(json) ?? partsOf(json);
  if (filter) return sentenceOf(filter);
  const test = testOf(json);
  const match = MATCHES.find((one) => one === test?.operator);
  if (!match || !test?.value || !isName(test.name)) return JSON.stringify(json);
  return [singularOf(test.name), words.goals.matches[match], test.value].join(' ');
}

function sentenceOf({ name, operator, values }: Filter): string {
  if (name === 'saved') return texts.filters.saved(values[0]!);
  const shown = values.map((value) => (operator.startsWith('is') ? wordsOf(name, value) : value));
  return [singularOf(name), texts.filters.operators[operator], texts.filters.anyOf(shown)].join(' ');
}

/** The filter of the page that is stored like this; undefined if the page's filters have no such form. */
export function filterOf(json: unknown): Filter | undefined {
  if (!Array.isArray(json)) return undefined;
  const [operator, inner] = json as unknown[];
  if (operator === 'saved') return typeof inner === 'string' ? savedFilter(inner) : undefined;
  const isNested = operator === 'has_done' || operator === 'has_not_done';
  const parsed = partsOf(isNested ? inner : json);
  // Only a filter that is sent in the same words is the same.
  const all = parsed ? [parsed, { ...parsed, operator: negated(parsed.operator) }] : [];
  return all.find((one) => JSON.stringify(asJson(one)) === JSON.stringify(json));
}

const negated = (operator: Filter['operator']) =>
  (operator.endsWith('_not') ? operator.slice(0, -4) : `${operator}_not`) as Filter['operator'];

function partsOf(json: unknown): Filter | undefined {
  if (!Array.isArray(json)) return undefined;
  const [operator, name, values] = json as unknown[];
  const known = OPERATORS.find((one) => one === operator);
  if (!known || typeof name !== 'string' || !isName(name) || !Array.isArray(values)) return undefined;
  const isText = (value: unknown): value is string => typeof value === 'string';
  return values.length > 0 && values.every(isText) ? { name, operator: known, values } : undefined;
}
