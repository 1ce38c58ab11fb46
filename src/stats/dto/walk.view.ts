import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { NotAllowed } from '../../../engine/ground/errors';
import { AsSent, HasParts } from '../../validation/marks';
import { IfSent, IsAllowed } from '../../validation/rules';
import { checkFilters } from '../../../engine/questions/parse/body-filters';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { checkQueryRange, rangeIn, type RequestedRange } from '../../../engine/questions/parse/query-range';
import { FILTERS, QueryRangeView, RANGE } from './query.view';
import type { ExcludedBy } from '../../../engine/questions/exclusions';
import { EXCLUDED, WarningView } from './stats.view';

function checkRange(range: unknown): void {
  if (range === undefined) throw new NotAllowed('is required');
  checkQueryRange((range as RequestedRange | null) ?? undefined);
}

/** The fields that funnels and journeys share. */
export class WalkQueryView {
  @ApiProperty(RANGE)
  @IsAllowed('isRange', checkRange)
  @AsSent((sent) => rangeIn(sent) ?? null)
  range!: RequestedRange;

  @ApiPropertyOptional(FILTERS)
  @HasParts(checkFilters)
  @IfSent()
  filters?: FilterJson[];
}

export class WalkMetaView {
  @ApiProperty({ type: 'integer', example: 1 })
  website_id!: number;

  @ApiProperty(FILTERS)
  filters!: FilterJson[];

  @ApiProperty({ type: QueryRangeView, description: 'The days, or the moments in UTC.' })
  range!: QueryRangeView;

  @ApiProperty({ example: 'UTC' })
  timezone!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-01T09:30:00.000Z' })
  as_of!: string;

  @ApiProperty(EXCLUDED)
  excluded?: ExcludedBy[];

  @ApiProperty({ type: [WarningView], required: false })
  warnings?: WarningView[];
}
