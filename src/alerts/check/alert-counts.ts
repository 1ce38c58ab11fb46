import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../engine/ground/gate';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { Settings } from '../../config/settings';
import { RetentionClock } from '../../../engine/database/retention-clock';
import { HitQueriesView, type QueryAnswerView } from '../../stats/dto/query.view';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { QueriesRepository } from '../../stats/queries/queries.repository';
import { QueriesService } from '../../stats/queries/queries.service';
import { owner } from '../../stats/viewers/viewer';
import type { AlertMetric } from '../../../engine/questions/plan/metrics';
import type { AlertCondition } from '../alert/alert-rules';
import type { Window } from './windows';

/**
 * The checks of an owner's alerts are a caller of their own, which is not the user. They run one after the other, so all
 * of these callers together have one query at a time.
 */
function callerOf(ownerId: number): Caller {
  return { owner: `alerts of ${ownerId}` };
}

interface Counting {
  ownerId: number;
  websiteId: number;
  condition: AlertCondition;
  metric: AlertMetric;
  filters: FilterJson[];
}

export interface Counts {
  /** One for each window. Null for a compared one from before the website, or whose hits are not kept. */
  values: [number, ...(number | null)[]];
  /** Everything up to this moment is counted. */
  asOf: number;
}

/** Counts what alerts watch, by queries. */
@Injectable()
export class AlertCounts {
  private readonly days: DayClock;

  constructor(
    private readonly queries: QueriesService,
    private readonly hits: QueriesRepository,
    private readonly clock: RetentionClock,
    { timezone }: Settings,
  ) {
    this.days = new DayClock(timezone);
  }

  /** All counts are of one moment. */
  async count(counting: Counting, windows: readonly [Window, ...Window[]]): Promise<Counts> {
    const { ownerId, websiteId, condition, metric, filters } = counting;
    // Silence is that of page views as well.
    const metrics: AlertMetric[] = condition === 'silent' ? ['pageviews', 'events'] : [metric];
    const queries = windows.map(({ from, to }) => ({
      metrics,
      filters,
      range: { moments: { from: from / 1000, to: to / 1000 - 1 }, isCut: false },
    }));
    const body = Object.assign(new HitQueriesView(), { queries });
    const caller = callerOf(ownerId);
    const answers = (await this.queries.query(owner(ownerId), websiteId, body, caller)) as QueryAnswerView[];
    const sumOf = ({ data }: QueryAnswerView) =>
      metrics.reduce((sum, name) => sum + Number(data[0]?.[name] ?? 0), 0);
    const [first, ...others] = answers.map(sumOf);
    // Read after the hits, because retention may have removed some meanwhile.
    const wholeFrom = others.length > 0 ? await this.wholeFrom(websiteId) : 0;
    const compared = others.map((count, index) => (windows[index + 1]!.from < wholeFrom ? null : count));
    return { values: [first!, ...compared], asOf: Date.parse(answers[0]!.meta.as_of) };
  }

  /** From when on all hours are stored. The day of the website's first hit has hours from before it. */
  private async wholeFrom(websiteId: number): Promise<number> {
    const { statsFrom } = await this.clock.calendar();
    const { first, ...extent } = await this.hits.extent(websiteId, 0);
    if (first === undefined) return Infinity;
    const keptFrom = Math.max(statsFrom, extent.keptFrom);
    return this.days.endOf((first > keptFrom ? first + 1 : keptFrom) - 1);
  }
}
