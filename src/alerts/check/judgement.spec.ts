import fc from 'fast-check';
import type { AlertCondition, AlertSpan } from '../alert/alert-rules';
import { type Judged, median, planOf, verdictOf } from './judgement';
import { type Window, Windows } from './windows';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Setting {
  timezone: string;
  /** The moment of the first check. */
  begin: number;
  windows: Windows;
  /** The windows around the checks and in the five weeks before, by the digits of a clock. */
  hours: (Window & { digits: string })[];
  days: Window[];
}

/** Windows as a clock shows them, without the code under test. */
function settingOf(timezone: string, begin: number): Setting {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  });
  const offset = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const hours: Setting['hours'] = [];
  const days: (Window & { digits: string })[] = [];
  let last = '';
  const first = Math.floor((begin - 31 * DAY_MS) / QUARTER_MS) * QUARTER_MS;
  for (let moment = first; moment < begin + 5 * DAY_MS; moment += QUARTER_MS) {
    const digits = format.format(moment).slice(0, 13);
    const hour = `${digits} ${offset.format(moment).split(' ').at(-1)}`;
    const own = hours.at(-1);
    if (own && hour === last) own.to = moment + QUARTER_MS;
    else hours.push({ from: moment, to: moment + QUARTER_MS, digits });
    last = hour;
    const day = digits.slice(0, 10);
    const ownDay = days.at(-1);
    if (ownDay?.digits === day) ownDay.to = moment + QUARTER_MS;
    else days.push({ from: moment, to: moment + QUARTER_MS, digits: day });
  }
  return { timezone, begin, windows: new Windows(timezone), hours, days };
}

const SETTINGS = [
  settingOf('UTC', Date.parse('2026-06-10T10:37:00Z')),
  settingOf('Europe/Berlin', Date.parse('2026-03-27T20:11:00Z')),
  settingOf('Europe/Berlin', Date.parse('2026-10-23T22:59:00Z')),
  settingOf('Australia/Lord_Howe', Date.parse('2026-04-03T03:05:00Z')),
];

interface Scenario {
  /** The place of the setting. */
  setting: number;
  condition: AlertCondition;
  threshold: number;
  within: AlertSpan;
  quietHours: number;
  /** Hits, in minutes from the first check. */
  hits: number[];
  /** How long hits wait to be counted. */
  lagMinutes: number;
  /** From when on all hours are stored, in minutes from the first check. */
  wholeFrom: number;
}

const DAYS = 3;
const minutes = DAYS * 24 * 60;
const burst = fc
  .tuple(fc.integer({ min: -1440, max: minutes }), fc.integer({ min: 1, max: 30 }))
  .map(([at, count]) => Array.from({ length: count }, (_, index) => at + 3 * index));
/** Hits of one minute in the four weeks before, and a few or many now. */
const weekly = fc
  .tuple(
    fc.integer({ min: 0, max: minutes }),
    fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 5, maxLength: 5 }),
    fc.constantFrom(0, 1, 3),
  )
  .map(([at, counts, times]) =>
    counts.flatMap((count, weeks) =>
      Array<number>(weeks === 0 ? count * times : count).fill(at - weeks * 7 * 1440),
    ),
  );
const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    setting: fc.nat(SETTINGS.length - 1),
    condition: fc.constantFrom<AlertCondition[]>('above', 'below', 'rises', 'falls', 'silent'),
    threshold: fc.integer({ min: 1, max: 12 }),
    within: fc.constantFrom<AlertSpan[]>('hour', 'day'),
    quietHours: fc.constantFrom(1, 2, 5, 24, 30),
    hits: fc
      .tuple(fc.array(burst, { maxLength: 30 }), fc.array(weekly, { maxLength: 8 }))
      .map((parts) => parts.flat(2)),
    lagMinutes: fc.constantFrom(0, 0, 3),
    wholeFrom: fc.constantFrom(-50_000, -50_000, -25_000, -12_000, -6000),
  })
  .map((made) => ({
    ...made,
    threshold: made.condition === 'rises' || made.condition === 'falls' ? 8 * made.threshold : made.threshold,
    within: made.condition === 'rises' || made.condition === 'falls' ? 'hour' : made.within,
  }));

type Fired = [at: number, from: number];

/** How many sorted moments are from one on and before another. */
function countOf(moments: number[], from: number, before: number): number {
  return Math.max(0, placeOf(moments, before) - placeOf(moments, from));
}

/** How many sorted moments are before one. */
function placeOf(moments: number[], before: number): number {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moments[middle]! < before) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What the checks of each minute find. */
function checked({ setting, hits, lagMinutes, wholeFrom, ...rule }: Scenario): Fired[] {
  const { begin, windows } = SETTINGS[setting]!;
  const moments = hits.map((minute) => begin + minute * MINUTE_MS).sort((a, b) => a - b);
  const silent = rule.condition === 'silent';
  let state: Judged = {
    ...rule,
    ...(silent && { threshold: null, within: null }),
    ...{ startsAt: begin, firedAt: null, judgedStart: 0, judgedUntil: 0, isArmed: false },
  };
  let dueAt = begin;
  const fired: Fired[] = [];
  for (let now = begin; now < begin + DAYS * DAY_MS; now += MINUTE_MS) {
    if (dueAt > now) continue;
    const plan = planOf(state, windows, now);
    if ('dueAt' in plan) {
      dueAt = plan.dueAt;
      continue;
    }
    const asOf = now - lagMinutes * MINUTE_MS;
    const countIn = ({ from, to }: Window) => countOf(moments, from, Math.min(to, asOf + 1));
    const [window, ...compared] = plan.counted;
    const isWhole = ({ from }: Window) => from >= begin + wholeFrom * MINUTE_MS;
    const values: [number, ...(number | null)[]] = [
      countIn(window),
      ...compared.map((hour) => (isWhole(hour) ? countIn(hour) : null)),
    ];
    const verdict = verdictOf(state, windows, { window, values, asOf, now });
    if (verdict.fires) fired.push([now, window.from]);
    dueAt = verdict.dueAt;
    state = {
      ...state,
      judgedStart: state.startsAt,
      judgedUntil: verdict.judgedUntil,
      isArmed: verdict.isArmed,
      firedAt: verdict.fires ? now : state.firedAt,
    };
  }
  return fired;
}

/** Judges in the words of the documentation, from all hits and all windows. */
class Model {
  readonly fired: Fired[] = [];
  private readonly moments: number[];
  private readonly setting: Setting;
  /** The windows that were judged, by their begin. */
  private readonly done = new Set<number>();
  private quietUntil = -Infinity;
  private isArmed = false;

  constructor(private readonly scenario: Scenario) {
    this.setting = SETTINGS[scenario.setting]!;
    const { begin } = this.setting;
    this.moments = scenario.hits.map((minute) => begin + minute * MINUTE_MS).sort((a, b) => a - b);
  }

  run(): Fired[] {
    const { condition, within, lagMinutes } = this.scenario;
    const { begin, hours, days } = this.setting;
    const all = condition === 'silent' || within === 'hour' ? hours : days;
    let running = 0;
    for (let now = begin; now < begin + DAYS * DAY_MS; now += MINUTE_MS) {
      while (all[running]!.to <= now) running++;
      const asOf = now - lagMinutes * MINUTE_MS;
      if (condition === 'silent') this.hearSilence(all[running]!.from, now, asOf);
      else if (now >= this.quietUntil) this.look(all[running - 1]!, all[running]!, now, asOf);
    }
    return this.fired;
  }

  private look(last: Window, running: Window, now: number, asOf: number): void {
    if (this.scenario.condition === 'above') return this.lookAbove(last, running, now, asOf);
    if (last.from < this.setting.begin || this.done.has(last.from) || asOf < last.to) return;
    this.done.add(last.from);
    if (this.differs(last, asOf)) this.fire(now, last.from);
  }

  private lookAbove(last: Window, running: Window, now: number, asOf: number): void {
    const isWatched = last.to > Math.max(this.setting.begin, this.quietUntil);
    const window = isWatched && !this.done.has(last.from) ? last : running;
    if (this.done.has(window.from)) return;
    const isOver = this.count(window, asOf) > this.scenario.threshold;
    if (isOver || asOf >= window.to) this.done.add(window.from);
    if (isOver) this.fire(now, window.from);
  }

  private hearSilence(hour: number, now: number, asOf: number): void {
    if (this.done.has(hour)) return;
    const count = this.count({ from: hour - DAY_MS, to: hour }, asOf);
    if (count > 0) this.isArmed = true;
    if (asOf < hour) return;
    this.done.add(hour);
    if (count > 0 || !this.isArmed || now < this.quietUntil) return;
    this.isArmed = false;
    this.fire(now, hour - DAY_MS);
  }

  private differs(window: Window, asOf: number): boolean {
    const { condition, threshold } = this.scenario;
    const value = this.count(window, asOf);
    if (condition === 'below') return value < threshold;
    const same = this.sameHours(window);
    if (same.length < 2) return false;
    const usual = median(same.map((hour) => this.count(hour, asOf)));
    const change = ((value - usual) * 100) / usual;
    return usual > 0 && (condition === 'rises' ? change : -change) >= threshold;
  }

  private sameHours({ from }: Window): Window[] {
    const { hours, begin } = this.setting;
    const wholeFrom = begin + this.scenario.wholeFrom * MINUTE_MS;
    const { digits } = hours.find((hour) => hour.from === from)!;
    return [1, 2, 3, 4].flatMap((weeks) => {
      const day = new Date(Date.parse(`${digits.slice(0, 10)}T00:00:00Z`) - weeks * 7 * DAY_MS);
      const text = `${day.toISOString().slice(0, 10)}${digits.slice(10)}`;
      const same = hours.find((hour) => hour.digits === text);
      return same && same.from >= wholeFrom ? [same] : [];
    });
  }

  private count({ from, to }: Window, asOf: number): number {
    return countOf(this.moments, from, Math.min(to, asOf + 1));
  }

  private fire(now: number, from: number): void {
    this.fired.push([now, from]);
    this.quietUntil = now + this.scenario.quietHours * HOUR_MS;
  }
}

it('fires as the documentation says, whatever the hits, the clocks and the quiet time', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(scenario, (one) => {
      const found = checked(one);
      if (found.length > 0) seen.add(one.condition);
      expect(found).toEqual(new Model(one).run());
    }),
    { numRuns: 100 },
  );
  expect([...seen].sort()).toEqual(['above', 'below', 'falls', 'rises', 'silent']);
});

const NOON = Date.parse('2026-01-31T12:00:00Z');
const windows = new Windows('UTC');
const alert = (fields: Partial<Judged>): Judged => ({
  ...{ condition: 'below', threshold: 5, within: 'hour', quietHours: 1 },
  ...{ startsAt: NOON, firedAt: null, judgedStart: NOON, judgedUntil: NOON, isArmed: false },
  ...fields,
});

it('takes no hour that is not stored for one without hits, and judges by two hours at least', () => {
  const rises = alert({ condition: 'rises', threshold: 50 });
  const now = NOON + HOUR_MS;
  const verdict = (...values: [number, ...(number | null)[]]) => {
    const counted = { window: { from: NOON, to: now }, values, asOf: now, now };
    const { fires, usual, judgedUntil } = verdictOf(rises, windows, counted);
    expect(judgedUntil).toBe(now);
    return [fires, usual];
  };
  expect(verdict(100, 0, 0, 100, 100)).toEqual([true, 50]);
  expect(verdict(100, null, null, 100, 100)).toEqual([false, 100]);
  expect(verdict(1000, null, null, null, 100)).toEqual([false, null]);
});

it('judges of the windows that were missed the last one alone', () => {
  const now = NOON + 5.5 * HOUR_MS;
  const hour = { from: NOON + 4 * HOUR_MS, to: NOON + 5 * HOUR_MS };
  for (const condition of ['below', 'above'] as const)
    expect(planOf(alert({ condition }), windows, now)).toEqual({ counted: [hour] });
});

it('begins anew with the next window once it watches for something else', () => {
  const startsAt = NOON + 10 * MINUTE_MS;
  const now = NOON + 20 * MINUTE_MS;
  const [running, next] = [NOON, NOON + HOUR_MS].map((from) => ({ from, to: from + HOUR_MS }));
  expect(planOf(alert({ startsAt }), windows, now)).toEqual({ dueAt: next!.to });
  expect(planOf(alert({ startsAt, condition: 'above' }), windows, now)).toEqual({ counted: [running] });
  const silent = { ...alert({ condition: 'silent', within: null, isArmed: true }), startsAt };
  const counted = { window: { from: NOON - DAY_MS, to: NOON }, values: [0] as [number], asOf: now, now };
  expect(verdictOf(silent, windows, counted).fires).toBe(false);
  expect(verdictOf({ ...silent, startsAt: NOON }, windows, counted).fires).toBe(true);
});

it('waits the longer for events that are not counted, the longer they are not', () => {
  const window = { from: NOON, to: NOON + HOUR_MS };
  const dueAfter = (lateMs: number) => {
    const now = window.to + lateMs;
    const counted = { window, values: [0] as [number], asOf: NOON, now };
    const { fires, judgedUntil, dueAt } = verdictOf(alert({}), windows, counted);
    expect([fires, judgedUntil]).toEqual([false, NOON]);
    return (dueAt - now) / MINUTE_MS;
  };
  expect([0, 8, 40, 600].map((late) => dueAfter(late * MINUTE_MS))).toEqual([1, 2, 10, 15]);
});
