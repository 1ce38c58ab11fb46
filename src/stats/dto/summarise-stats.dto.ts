import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { STAT_NAMES, type StatName } from '../../storage/dimensions';
import { IsPageSize, type PageSize } from '../../validation/page-query';
import { IfSent, IsFlag, IsListOf, Required } from '../../validation/rules';
import { IsFilter } from './filter';
import { type Comparison, IsComparison, IsFirstDay, IsLastDay } from './range';

export class SummariseStats {
  @Required()
  @IsListOf(STAT_NAMES)
  @ApiProperty({
    type: String,
    example: 'pageview,visitor,page,country',
    description: `What the statistics are grouped by: one or more names, separated by commas, of ${STAT_NAMES.join(', ')}.`,
  })
  names!: StatName[];

  @IsFirstDay()
  from!: number;

  @IsLastDay()
  to!: number;

  @IsComparison()
  compare?: Comparison;

  @IsFilter()
  filter?: string;

  @IfSent()
  @IsFlag()
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description:
      'true adds the days without visits to pageview and visitor, of a range of up to 3,660 days; 1 and 0 work as well.',
  })
  fill: boolean = false;

  @IsPageSize('The number of entries shown of each name; of pageview and visitor all days are shown.')
  per_page: PageSize = 10;
}
