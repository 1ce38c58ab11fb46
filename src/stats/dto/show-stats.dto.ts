import { nameSchema } from '../../goals/filters-field';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageQuery } from '../../validation/page-query';
import { IfSent, IsOneOf, IsSearchText, Required } from '../../validation/rules';
import { ENTRY_NAMES, type EntryName, isEntryName } from '../../../engine/questions/listed-names';
import { IsFilter } from './filter';
import { IsName } from './name';
import { type Comparison, IsComparison, IsFirstDay, IsLastDay } from './range';

const SEARCHABLE = ['value'] as const;
const SORTABLE = ['count', 'value'] as const;

export class ShowStats extends PageQuery {
  @Required()
  @IsName(isEntryName, ENTRY_NAMES)
  @ApiProperty({
    ...nameSchema(ENTRY_NAMES),
    example: 'page',
    description: 'The name that statistics are grouped by.',
  })
  name!: EntryName;

  @IsFirstDay()
  from!: number;

  @IsLastDay()
  to!: number;

  @IsComparison()
  compare?: Comparison;

  @IsFilter()
  filter?: string;

  @IfSent()
  @IsSearchText('Shows entries that contain this text in the value or the label. Case is ignored.')
  search?: string;

  @IfSent()
  @IsOneOf(SEARCHABLE)
  @ApiPropertyOptional({
    enum: SEARCHABLE,
    description: 'The field to search; the label belongs to the value.',
  })
  search_by?: (typeof SEARCHABLE)[number];

  @IfSent()
  @IsOneOf(SORTABLE)
  @ApiPropertyOptional({
    enum: SORTABLE,
    default: 'count',
    description: 'The order; equal counts are ordered by value.',
  })
  sort_by: (typeof SORTABLE)[number] = 'count';
}
