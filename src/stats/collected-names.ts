import { Injectable } from '@nestjs/common';
import { DayClock } from '../../engine/ground/time/day-clock';
import { dayText } from '../../engine/ground/time/days';
import { Settings } from '../config/settings';
import type { Span } from '../../engine/hits/calendar';
import { type ListedName, listedNames } from '../../engine/questions/listed-names';
import { GOAL } from '../../engine/questions/parse/filter';
import {
  addsValues,
  groupedNames,
  type QueryScope,
  testedNames,
} from '../../engine/questions/plan/needed-values';
import { type QueryName, isPropertyName, PROPERTY_NAME } from '../../engine/questions/parse/names';
import { StatsRepository } from './stats.repository';
import type { LateName } from './warnings';

/** The first day of each name: a release may add names to an installation that has hits. */
@Injectable()
export class CollectedNames {
  private readonly clock: DayClock;
  private known: Map<string, number> | undefined;

  constructor(
    private readonly stats: StatsRepository,
    { timezone }: Settings,
  ) {
    this.clock = new DayClock(timezone);
  }

  async list(): Promise<ListedName[]> {
    const days = await this.days();
    const installed = Math.min(...days.values());
    return listedNames().map((listed) => ({
      ...listed,
      // A goal looks at all hits, whenever it was made.
      collected_since: dayText(listed.name === GOAL ? installed : days.get(listed.name)!),
    }));
  }

  /** The names that were not collected on all days of a query. `firstDay` is the first day with hits. */
  async findLateIn(hitQueries: QueryScope[], firstDay: number): Promise<LateName[]> {
    const days = await this.days();
    const installed = Math.min(...days.values());
    const late = new Map<QueryName, number>();
    for (const hitQuery of hitQueries) {
      const { range, previous } = hitQuery;
      const spans = previous ? [range.days, previous.days] : [range.days];
      const names = [...groupedNames(hitQuery), ...testedNames(hitQuery)];
      for (const name of addsValues(hitQuery) ? [...names, 'currency' as const] : names) {
        const since = days.get(isPropertyName(name) ? PROPERTY_NAME : name)!;
        // Hits from before the installation were accepted by it.
        if (since > installed && spans.some((span) => hasDayBefore(span, since, firstDay)))
          late.set(name, since);
      }
    }
    return Array.from(late, ([name, since]) => ({ name, since }));
  }

  /** They never change, so they are read once. */
  private async days(): Promise<Map<string, number>> {
    if (!this.known) {
      const names = await this.stats.collectedNames();
      this.known = new Map(names.map(([name, since]) => [name, this.clock.dayOf(since)]));
    }
    return this.known;
  }
}

function hasDayBefore({ from, to }: Span, since: number, firstDay: number): boolean {
  return Math.max(from, firstDay) < since && to >= firstDay;
}
