import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { HitQueriesView, type QueryAnswerView } from '../../stats/dto/query.view';
import type { FilterJson } from '../../stats/queries/parse/filter';
import { QueriesService } from '../../stats/queries/queries.service';
import { owner } from '../../stats/viewers/viewer';
import type { AlertCondition, AlertMetric } from '../alert/alert-rules';
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
  /** One for each window. */
  values: [number, ...number[]];
  /** Everything up to this moment is counted. */
  asOf: number;
}

/** Counts what alerts wait for, by queries. */
@Injectable()
export class AlertCounts {
  constructor(private readonly queries: QueriesService) {}

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
    return { values: [first!, ...others], asOf: Date.parse(answers[0]!.meta.as_of) };
  }
}
