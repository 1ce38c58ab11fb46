import { type FieldErrors, InvalidFields } from '../../../engine/ground/errors';
import type { AlertMetric } from '../../../engine/questions/plan/metrics';

export const ALERT_CONDITIONS = ['above', 'below', 'rises', 'falls', 'silent'] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

/** The time whose hits are counted: a clock hour or a day. */
export const ALERT_SPANS = ['hour', 'day'] as const;
export type AlertSpan = (typeof ALERT_SPANS)[number];

export const THRESHOLDS = { number: 1e15, percent: 10_000, fall: 100 };

/** What an alert watches for. */
export interface AlertRule {
  metric: AlertMetric;
  condition: AlertCondition;
  threshold: number | null;
  within: AlertSpan | null;
}

/** Fields as they were sent, beside those that stay. */
export type SentRule = { [F in keyof AlertRule]?: AlertRule[F] | undefined };

/** The rule that fields make together. Throws InvalidFields for those that do not fit their condition. */
export function ruleOf(sent: SentRule, before?: AlertRule): AlertRule {
  const condition = sent.condition ?? before?.condition;
  if (condition === undefined) throw new InvalidFields({ condition: ['is required'] });
  return condition === 'silent' ? silence(sent) : comparison(condition, sent, before);
}

function silence({ metric, threshold, within }: SentRule): AlertRule {
  const problem = ['must not be set with the condition silent'];
  const errors: FieldErrors = {
    ...(metric !== undefined &&
      metric !== 'events' && { metric: ['must be events with the condition silent'] }),
    ...(isSet(threshold) && { threshold: problem }),
    ...(isSet(within) && { within: problem }),
  };
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  return { metric: 'events', condition: 'silent', threshold: null, within: null };
}

function isSet(field: unknown): boolean {
  return field !== undefined && field !== null;
}

type Comparison = Exclude<AlertCondition, 'silent'>;

function comparison(condition: Comparison, sent: SentRule, before: AlertRule | undefined): AlertRule {
  const metric = sent.metric ?? before?.metric;
  const threshold = (sent.threshold === undefined ? before?.threshold : sent.threshold) ?? undefined;
  const within = spanOf(condition, sent, before);
  if (metric !== undefined && threshold !== undefined && isAllowed(condition, threshold, within))
    return { metric, condition, threshold, within };
  throw new InvalidFields({
    ...(metric === undefined && { metric: ['is required'] }),
    ...problemOfThreshold(condition, threshold),
    ...problemOfSpan(condition, within),
  });
}

/** An hour, unless a day is sent or stays. */
function spanOf(condition: Comparison, sent: SentRule, before: AlertRule | undefined): AlertSpan {
  const kept = isOfPercent(condition) ? null : before?.within;
  return sent.within ?? kept ?? 'hour';
}

function isAllowed(condition: Comparison, threshold: number, within: AlertSpan): boolean {
  return !problemOfThreshold(condition, threshold) && !problemOfSpan(condition, within);
}

/** Tells whether the threshold is a change from the usual count, in percent. */
export function isOfPercent(condition: AlertCondition): boolean {
  return condition === 'rises' || condition === 'falls';
}

function problemOfThreshold(condition: Comparison, threshold: number | undefined): FieldErrors | undefined {
  if (threshold === undefined) return { threshold: [`is required with the condition ${condition}`] };
  const [least, most] = isOfPercent(condition)
    ? [1, condition === 'falls' ? THRESHOLDS.fall : THRESHOLDS.percent]
    : [0, THRESHOLDS.number];
  if (threshold >= least && threshold <= most) return undefined;
  return {
    threshold: [`must be from ${least} to ${most.toLocaleString('en')} with the condition ${condition}`],
  };
}

function problemOfSpan(condition: Comparison, within: AlertSpan): FieldErrors | undefined {
  if (!isOfPercent(condition) || within === 'hour') return undefined;
  return { within: [`must be hour with the condition ${condition}`] };
}
