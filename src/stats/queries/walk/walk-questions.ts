import { Injectable } from '@nestjs/common';
import { Settings } from '../../../config/settings';
import { CollectedNames } from '../../collected-names';
import type { WalkMetaView, WalkQueryView } from '../../dto/walk.view';
import { queryWarnings } from '../../warnings';
import { Zone } from '../../../../engine/questions/plan/buckets';
import type { Range } from '../../../../engine/questions/plan/hit-query';
import type { QueryScope } from '../../../../engine/questions/plan/needed-values';
import {
  type ComparisonName,
  comparedWith,
  resolved,
  wordedRange,
} from '../../../../engine/questions/parse/query-range';
import { QueriesRepository } from '../queries.repository';
import type { Walked } from '../../../../engine/questions/walk-request';

/** The days of a question. */
interface Spans {
  readonly range: Range;
  readonly previous: Range | undefined;
  readonly statsFrom: number;
}

/** What funnels and journeys have in common: their ranges, and what their answers say about themselves. */
@Injectable()
export class WalkQuestions {
  private readonly zone: Zone;

  constructor(
    private readonly queries: QueriesRepository,
    private readonly names: CollectedNames,
    private readonly settings: Settings,
  ) {
    this.zone = new Zone(settings.timezone);
  }

  async spansOf(
    websiteId: number,
    asked: Pick<WalkQueryView, 'range'>,
    compare?: ComparisonName,
  ): Promise<Spans> {
    const calendar = await this.queries.calendar(websiteId);
    const range = resolved(asked.range, calendar, this.zone);
    const previous = compare && comparedWith(range, compare, this.zone);
    return { range, previous, statsFrom: calendar.statsFrom };
  }

  async metaOf(
    websiteId: number,
    asked: WalkQueryView,
    scope: QueryScope,
    walked: Walked<unknown>,
  ): Promise<WalkMetaView> {
    const { range, previous } = scope;
    const isBefore = [range, previous].some((one) => one && one.days.from < walked.availableFrom);
    const warnings = queryWarnings({
      availableFrom: isBefore ? walked.availableFrom : undefined,
      late: await this.names.findLateIn([scope], walked.firstDay),
      isMerged: walked.isMerged,
      forgotten: walked.forgotten,
      isCut: typeof asked.range === 'object' && 'isCut' in asked.range && asked.range.isCut,
    });
    return {
      website_id: websiteId,
      filters: asked.filters ?? [],
      range: wordedRange(range),
      timezone: this.settings.timezone,
      as_of: walked.asOf.toISOString(),
      ...(walked.excluded.length > 0 && { excluded: walked.excluded }),
      ...(warnings.length > 0 && { warnings }),
    };
  }
}
