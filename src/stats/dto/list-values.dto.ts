import { nameSchema } from '../../goals/filters-field';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsPageSize, type PageSize } from '../../validation/page-query';
import { IfSent, IsSearchText, Required } from '../../validation/rules';
import { CHOOSABLE_NAMES, type ChoosableName, isChoosable } from '../../../engine/questions/listed-names';
import { IsName } from './name';

export class ListValues {
  @Required()
  @IsName(isChoosable, CHOOSABLE_NAMES)
  @ApiProperty({
    ...nameSchema(CHOOSABLE_NAMES),
    example: 'country',
    description: 'The name to list values of.',
  })
  name!: ChoosableName;

  @IfSent()
  @IsSearchText('Lists values that contain this text in the value or the label. Case is ignored.')
  search?: string;

  @IsPageSize('The number of values listed.')
  per_page: PageSize = 10;
}

@ApiSchema({ description: 'Which values these are.' })
export class ValuesMetaView {
  @ApiProperty({ type: 'integer', example: 1 })
  website_id!: number;

  @ApiProperty({ ...nameSchema(CHOOSABLE_NAMES), example: 'country' })
  name!: ChoosableName;

  @ApiProperty({ type: 'integer', example: 42, description: 'The number of matching values.' })
  total!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    example: '2026-02-01T09:30:00.000Z',
    description: 'Every event that was acknowledged by then is counted.',
  })
  as_of!: string;
}
