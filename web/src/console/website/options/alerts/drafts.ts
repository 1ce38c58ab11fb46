import {
  type Condition,
  type ConditionKind,
  conditionOf,
  conditionText,
  filtersOf,
  KINDS,
  NO_CONDITION,
} from '../../../../goals/conditions';
import type { Alert, StoredFilters } from '../../../../goals/definitions';
import { enteredPercentText, numberText } from '../../../../shared/format';
import { words } from './words';

export const CONDITIONS = ['above', 'below', 'rises', 'falls', 'silent'] as const;
export const METRICS = ['visitors', 'visits', 'pageviews', 'events', 'conversions', 'converters'] as const;
export const WITHINS = ['hour', 'day'] as const;

type Rule = Pick<Alert, 'metric' | 'condition' | 'threshold' | 'within' | 'filters'>;

/** What an alert watches, as its form has it. Fields that its condition does not have are ignored. */
export interface Draft {
  metric: string;
  condition: Alert['condition'];
  threshold: string;
  within: 'hour' | 'day';
  /** Undefined for all hits, and for filters that the form does not have. */
  filter: Condition | undefined;
  /** The filters that the form does not have. They stay until another condition is chosen. */
  kept: StoredFilters;
}

/** What an alert does not need to have. */
const NOTHING = { threshold: null, within: null, filters: [] };

const NEW: Draft = {
  ...{ metric: 'visitors', condition: 'above', threshold: '', within: 'hour' },
  ...{ filter: undefined, kept: [] },
};

export function draftOf(alert: Alert | undefined): Draft {
  if (!alert) return NEW;
  const { metric, condition, threshold, within, filters } = alert;
  const filter = conditionOf(filters);
  return {
    ...{ metric, condition, within: within ?? 'hour' },
    threshold: threshold === null ? '' : String(threshold),
    ...{ filter, kept: filter ? [] : filters },
  };
}

/** Tells whether a threshold is a percentage of what is usual, which is known of hours alone. */
export const isRelative = ({ condition }: Pick<Alert, 'condition'>) =>
  condition === 'rises' || condition === 'falls';

type Fields = Omit<Rule, 'threshold' | 'within'> & Partial<Rule>;

/** The fields of the service. */
export function ruleOf({ metric, condition, threshold, within, filter, kept }: Draft): Fields {
  const filters = filter ? filtersOf(filter) : kept;
  if (condition === 'silent') return { condition, metric: 'events', filters };
  return {
    ...{ metric, condition, filters, threshold: Number(threshold) },
    within: isRelative({ condition }) ? 'hour' : within,
  };
}

/** Tells whether goals are counted, which are all goals without a filter. */
export const isOfGoals = ({ metric, condition }: Pick<Draft, 'metric' | 'condition'>) =>
  condition !== 'silent' && (metric === 'conversions' || metric === 'converters');

/** What a filter may be: goals are counted by their names, and pages are no events. */
export function kindsFor(draft: Pick<Draft, 'metric' | 'condition'>): ConditionKind[] {
  if (isOfGoals(draft)) return ['goal'];
  const isOfEvents = draft.condition !== 'silent' && draft.metric === 'events';
  return KINDS.filter((kind) => !isOfEvents || (kind !== 'page' && kind !== 'pattern'));
}

/** A filter that the metric cannot have goes. */
export function fitting(draft: Draft): Draft {
  const { filter } = draft;
  return !filter || kindsFor(draft).includes(filter.kind) ? draft : { ...draft, filter: undefined };
}

/** Another kind of filter, all hits, or the filters that are stored. */
export function withKind({ filter, kept }: Draft, kind: ConditionKind | 'all' | 'kept'): Partial<Draft> {
  if (kind === 'kept') return { filter: undefined };
  return kind === 'all'
    ? { filter: undefined, kept: [] }
    : { filter: { ...NO_CONDITION, ...filter, kind }, kept };
}

/** A metric of clients of the API may have no word here. */
export const metricText = (metric: string) =>
  Object.hasOwn(words.metrics, metric) ? words.metrics[metric as keyof typeof words.metrics] : metric;

/** An alert in words. */
export function sentenceOf({ metric, condition, threshold, within, filters }: Rule): string {
  const number = threshold ?? 0;
  const limit = isRelative({ condition }) ? enteredPercentText(number / 100) : numberText(number);
  const sentence = words.sentences[condition](metricText(metric), words.within[within ?? 'hour'], limit);
  return filters.length === 0 ? sentence : `${sentence} (${conditionText(filters)})`;
}

/** An alert for every website: the script may be gone. */
export function exampleAlert() {
  const rule = { metric: 'events', condition: 'silent' } as const;
  return { ...rule, name: sentenceOf({ ...NOTHING, ...rule }) };
}

/** The sentence of a form, once it has a number. */
export function draftText(draft: Draft): string {
  if (draft.condition !== 'silent' && draft.threshold === '') return '';
  return sentenceOf({ ...NOTHING, ...ruleOf(draft) });
}
