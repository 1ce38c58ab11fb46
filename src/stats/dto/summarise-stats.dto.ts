import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize } from 'class-validator';
import { IsPageSize, type PageSize } from '../../validation/page-query';
import { IfSent, IsFlag, Required, SENT_FLAG } from '../../validation/rules';
import { ENTRY_NAMES, type EntryName, isEntryName } from '../../../engine/questions/listed-names';
import { QUESTION_LIMITS } from '../../../engine/questions/question-limits';
import { IsFilter } from './filter';
import { IsListOfNames } from './name';
import { type Comparison, IsComparison, IsFirstDay, IsLastDay } from './range';

const { names: MAX_NAMES } = QUESTION_LIMITS;

export class SummariseStats {
  @Required()
  @IsListOfNames(isEntryName, ENTRY_NAMES)
  @ArrayMaxSize(MAX_NAMES, { message: `must be at most ${MAX_NAMES}` })
  @ApiProperty({
    type: String,
    example: 'pageview,visitor,page,country',
    description: `The names that statistics are grouped by: up to ${MAX_NAMES} of ${ENTRY_NAMES.join(', ')}, separated by commas; a name with one of , % is percent-encoded once more.`,
  })
  names!: EntryName[];

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
    ...SENT_FLAG,
    default: false,
    description:
      'true or 1 adds days without visits to pageview and visitor, for a range of up to 3,660 days.',
  })
  fill: boolean = false;

  @IsPageSize('The number of entries of each name; pageview and visitor always have all days.')
  per_page: PageSize = 10;
}
