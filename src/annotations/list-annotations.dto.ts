import { ApiPropertyOptional } from '@nestjs/swagger';
import { IfSent, IsCalendarDay, IsSearchText } from '../validation/rules';
import { ListResources } from '../websites/resources/list-resources.dto';

const DAY = { type: String, format: 'date', example: '2026-01-01' } as const;

export class ListAnnotations extends ListResources {
  @IfSent()
  @IsSearchText('Shows those whose text contains this one; case is ignored.')
  override search?: string;

  @IfSent()
  @IsCalendarDay()
  @ApiPropertyOptional({ ...DAY, description: 'The first day, as Y-m-d, in the time zone of the service.' })
  from?: number;

  @IfSent()
  @IsCalendarDay()
  @ApiPropertyOptional({ ...DAY, description: 'The last day, as Y-m-d; it is included.' })
  to?: number;
}
