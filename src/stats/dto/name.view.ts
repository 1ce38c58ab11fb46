import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  LISTED_NAMES,
  type Level,
  NAME_LEVELS,
  type ListedName,
} from '../../../engine/questions/listed-names';

@ApiSchema({ description: 'A name of statistics, and what it counts.' })
export class NameView implements ListedName {
  @ApiProperty({
    enum: LISTED_NAMES,
    example: 'country',
    description: 'event_property:NAME stands for each property of events.',
  })
  name!: ListedName['name'];

  @ApiProperty({
    enum: NAME_LEVELS,
    example: 'visitor',
    description: 'Whether a value belongs to a hit, a visitor of a day, a visit, or a moment.',
  })
  level!: Level;

  @ApiProperty({
    enum: ['pageviews', 'visitors', 'events', 'visits', null],
    nullable: true,
    type: String,
    example: 'visitors',
    description: 'The unit that an entry counts; null for a series, which has the requested metrics.',
  })
  counts!: ListedName['counts'];

  @ApiProperty({ description: 'Whether statistics and summaries take it as a name.' })
  statistic!: boolean;

  @ApiProperty({ description: 'Whether a filter takes it.' })
  filterable!: boolean;

  @ApiProperty({
    type: String,
    format: 'date',
    example: '2026-01-01',
    description: 'The first day of its collection: the installation, or the release that added it.',
  })
  collected_since!: string;
}
