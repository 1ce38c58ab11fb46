import { dayText } from '../../engine/ground/time/days';
import { compareTexts } from '../../engine/ground/text-order';
import { foldCase } from '../../engine/ground/text-search';
import type { Span } from '../../engine/hits/calendar';
import { DIMENSIONS, STAT_NAMES, type StatName } from '../../engine/hits/stat-names';
import type { Hit } from '../../engine/hits/hit';

type OfVisitor = Exclude<
  StatName,
  'pageview' | 'visitor' | 'page' | 'event' | 'referrer' | 'campaign' | 'dropped'
>;

const FIELDS: Record<OfVisitor, keyof Hit> = {
  browser: 'browser',
  operating_system: 'operatingSystem',
  device: 'device',
  language: 'language',
  screen_resolution: 'screen',
  continent: 'continent',
  country: 'country',
  city: 'city',
};

export type Entry = [value: string, count: number];
export interface EntryOrder {
  by: 'count' | 'value';
  direction: 'asc' | 'desc';
}

/** The fourteen names, counted from all hits in the order of acceptance. */
export class RollupModel {
  private readonly counts = new Map<string, number>();
  private readonly seen = new Set<string>();

  count(hit: Hit): void {
    const add = (name: StatName, value: string) => this.add(name, hit.day, value);
    if (hit.event !== null) add('event', hit.event);
    else {
      add('pageview', dayText(hit.day));
      add('page', hit.page);
    }
    if (hit.visitor === '') return;
    const visitor = `${hit.day} ${hit.visitor}`;
    if (this.isNew(visitor)) {
      add('visitor', dayText(hit.day));
      for (const [name, field] of Object.entries(FIELDS)) add(name as OfVisitor, hit[field] as string);
      if (hit.referrer === null) add('referrer', '(direct)');
    }
    for (const name of ['referrer', 'campaign'] as const) {
      const value = hit[name];
      if (value !== null && this.isNew(`${visitor} ${name} ${value}`)) add(name, value);
    }
  }

  drop(day: number, reason: string): void {
    this.add('dropped', day, reason);
  }

  /** All entries of a range in an order; equal counts are ordered by value. */
  entries(
    name: StatName,
    range: Span,
    statsFrom: number,
    { by, direction }: EntryOrder,
    search = '',
  ): Entry[] {
    const sums = new Map<string, number>();
    for (const [key, count] of this.counts) {
      const [counted, day, value] = JSON.parse(key) as [StatName, number, string];
      const isAsked = counted === name && day >= Math.max(range.from, statsFrom) && day <= range.to;
      if (isAsked && this.matches(name, value, search)) sums.set(value, (sums.get(value) ?? 0) + count);
    }
    const sign = direction === 'asc' ? 1 : -1;
    return [...sums].sort(
      by === 'value'
        ? ([one], [other]) => sign * compareTexts(one, other)
        : ([one, count], [other, more]) => sign * (count - more) || compareTexts(one, other),
    );
  }

  get names(): readonly StatName[] {
    return STAT_NAMES;
  }

  private matches(name: StatName, value: string, search: string): boolean {
    const { days, label } = DIMENSIONS[name];
    return (
      value.includes(search) ||
      (!days && [value, label(value)].some((text) => foldCase(text).includes(search)))
    );
  }

  private add(name: StatName, day: number, value: string): void {
    const key = JSON.stringify([name, day, value]);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  private isNew(key: string): boolean {
    const isNew = !this.seen.has(key);
    this.seen.add(key);
    return isNew;
  }
}
