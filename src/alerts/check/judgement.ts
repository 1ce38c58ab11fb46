import { DAY_MS } from '../../../engine/ground/time/days';
import { CLOCKS_DIFFER_MS } from '../../../engine/ground/time/clock-from';
import type { AlertCondition, AlertSpan } from '../alert/alert-rules';
import { HOUR_MS, SILENT_HOURS, type Window, type Windows } from './windows';

const MINUTE_MS = 60_000;
/** How long an alert waits at most for events that are not counted yet. */
const MAX_UNCOUNTED_MS = 15 * MINUTE_MS;
/** What is usual cannot be known by a single hour. */
const LEAST_COMPARED = 2;
/**
 * Checks leave no moment further ahead: the longest day has 25 hours, and quiet alerts are looked at once a day. A later
 * one dates from a clock that was ahead.
 */
export const MAX_AHEAD_MS = DAY_MS + 2 * HOUR_MS;

/** An alert with what earlier checks left. Moments are in milliseconds. */
export interface Judged {
  condition: AlertCondition;
  threshold: number | null;
  within: AlertSpan | null;
  quietHours: number;
  startsAt: number;
  firedAt: number | null;
  /** The `startsAt` that the following belong to. */
  judgedStart: number;
  /** The windows before this moment were judged. */
  judgedUntil: number;
  /** Tells whether there was something since it fired, for silent. */
  isArmed: boolean;
}

/** The windows of a check: those that are counted, the judged one first. Or when there is one. */
export type Plan = { counted: [Window, ...Window[]] } | { dueAt: number };

/** The next state of an alert. */
export interface Verdict {
  fires: boolean;
  /** The median of the compared hours. */
  usual: number | null;
  judgedUntil: number;
  isArmed: boolean;
  dueAt: number;
}

interface Counted {
  window: Window;
  /** The counts, in the order of the plan. Null for a compared hour without stored hits. */
  values: [number, ...(number | null)[]];
  /** Everything up to this moment is counted. */
  asOf: number;
  now: number;
}

/** The alert without moments by a clock that was ahead, or nothing would fire until then. */
export function withoutFuture<A extends Judged>(alert: A, now: number): A {
  const { startsAt, judgedStart, judgedUntil, firedAt } = alert;
  const known = (moment: number) => (moment > now + MAX_AHEAD_MS ? 0 : moment);
  return {
    ...alert,
    startsAt: known(startsAt),
    judgedStart: known(judgedStart),
    judgedUntil: known(judgedUntil),
    firedAt: firedAt !== null && firedAt > now + CLOCKS_DIFFER_MS ? null : firedAt,
  };
}

/** What is to be counted now. */
export function planOf(alert: Judged, windows: Windows, now: number): Plan {
  if (alert.condition === 'silent') return silencePlan(alert, windows, now);
  const quietUntil = quietUntilOf(alert);
  if (now < quietUntil) return { dueAt: Math.min(quietUntil, now + DAY_MS) };
  const within = alert.within!;
  const window = nextWindow(alert, windows, now);
  const dueAt = alert.condition === 'above' ? window.from : window.to;
  if (now < dueAt) return { dueAt };
  const isCompared = alert.condition === 'rises' || alert.condition === 'falls';
  return { counted: [window, ...(isCompared && within === 'hour' ? windows.comparedWith(window) : [])] };
}

/** What the counts mean. */
export function verdictOf(alert: Judged, windows: Windows, counted: Counted): Verdict {
  const { window, values, asOf, now } = counted;
  const [value, ...compared] = values;
  const known = compared.filter((count) => count !== null);
  const usual = known.length < LEAST_COMPARED ? null : median(known);
  const isWhole = asOf >= window.to && now >= window.to;
  const mayFire = (isWhole || alert.condition === 'above') && now >= quietUntilOf(alert);
  const isArmed = isArmedBy(alert, value);
  const fires = mayFire && isMet(alert, value, usual, isArmed);
  const state = { fires, usual, isArmed: isArmed && !fires };
  if (fires || isWhole)
    return { ...state, judgedUntil: window.to, dueAt: afterJudging(alert, windows, window) };
  return { ...state, judgedUntil: window.from, dueAt: checkAgainAt(window, now) };
}

/** Tells whether something came, so that silence means something. */
function isArmedBy(alert: Judged, value: number): boolean {
  return alert.condition === 'silent' && (value > 0 || (isKnown(alert) && alert.isArmed));
}

function isMet(
  { condition, threshold }: Judged,
  value: number,
  usual: number | null,
  isArmed: boolean,
): boolean {
  switch (condition) {
    case 'above':
      return value > threshold!;
    case 'below':
      return value < threshold!;
    case 'rises':
      return usual !== null && usual > 0 && 100 * value >= usual * (100 + threshold!);
    case 'falls':
      return usual !== null && usual > 0 && 100 * value <= usual * (100 - threshold!);
    case 'silent':
      return isArmed && value === 0;
  }
}

/** Tells whether the state belongs to what the alert watches for now. */
export function isKnown({ startsAt, judgedStart }: Judged): boolean {
  return startsAt === judgedStart;
}

function quietUntilOf({ firedAt, quietHours }: Judged): number {
  return firedAt === null ? -Infinity : firedAt + quietHours * HOUR_MS;
}

/** The window to judge. Of those that were missed, only the last one is. */
function nextWindow(alert: Judged, windows: Windows, now: number): Window {
  const { condition, startsAt, judgedUntil } = alert;
  const within = alert.within!;
  const last = windows.lastBefore(now, within);
  if (condition === 'above') {
    const begin = Math.max(isKnown(alert) ? judgedUntil : startsAt, quietUntilOf(alert));
    const window = windows.around(begin, within);
    return window.from < last.from ? last : window;
  }
  const begun = windows.around(startsAt, within);
  const first = begun.from === startsAt ? begun.from : begun.to;
  const window = windows.around(isKnown(alert) ? Math.max(judgedUntil, first) : first, within);
  return window.from < last.from ? last : window;
}

/** The 24 hours up to the last full hour, once for each hour. */
function silencePlan(alert: Judged, windows: Windows, now: number): Plan {
  const { from: to, to: next } = windows.around(now, 'hour');
  const judgedUntil = isKnown(alert) ? alert.judgedUntil : 0;
  return to <= judgedUntil ? { dueAt: next } : { counted: [{ from: to - SILENT_HOURS * HOUR_MS, to }] };
}

/** When the window after a judged one is to be checked. */
function afterJudging(alert: Judged, windows: Windows, { to }: Window): number {
  const { condition, within } = alert;
  return condition === 'above' ? to : windows.around(to, within ?? 'hour').to;
}

/** A running window is looked at each minute; the longer events wait to be counted, the longer does their alert. */
function checkAgainAt({ to }: Window, now: number): number {
  return now + Math.min(Math.max(MINUTE_MS, (now - to) / 4), MAX_UNCOUNTED_MS);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
