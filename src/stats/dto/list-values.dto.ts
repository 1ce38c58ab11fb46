import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsPageSize, type PageSize } from '../../validation/page-query';
import { IfSent, IsSearchText, Required } from '../../validation/rules';
import { CHOOSABLE_NAMES, type ChoosableName, isChoosable } from '../name-list';
import { IsName, nameSchema } from './name';

export class ListValues {
  @Required()
  @IsName(isChoosable, CHOOSABLE_NAMES)
  @ApiProperty({
    ...nameSchema(CHOOSABLE_NAMES),
    example: 'country',
    description: 'The name whose values to list.',
  })
  name!: ChoosableName;

  @IfSent()
  @IsSearchText()
  @ApiPropertyOptional({
    type: String,
    description: 'Lists the values that contain this text, or whose label does; case is ignored.',
  })
  search?: string;

  @IsPageSize('The number of values listed.')
  per_page: PageSize = 10;
}

export class ValuesMetaView {
  @ApiProperty({ type: 'integer', example: 1 })
  website_id!: number;

  @ApiProperty({ ...nameSchema(CHOOSABLE_NAMES), example: 'country' })
  name!: ChoosableName;

  @ApiProperty({ type: 'integer', example: 42, description: 'How many values match.' })
  total!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    example: '2026-02-01T09:30:00.000Z',
    description: 'Up to when every acknowledged event of the website is in the counts.',
  })
  as_of!: string;
}
