import { ApiProperty } from '@nestjs/swagger';
import { ALL_NAMES, type Level, LEVELS, type ListedName } from '../name-list';

export class NameView implements ListedName {
  @ApiProperty({
    enum: ALL_NAMES,
    example: 'country',
    description: 'event_property:NAME stands for each property of events.',
  })
  name!: ListedName['name'];

  @ApiProperty({
    enum: LEVELS,
    example: 'visitor',
    description: 'What has one value of it: a hit, a visitor of a day, a visit, or a moment.',
  })
  level!: Level;

  @ApiProperty({
    enum: ['pageviews', 'visitors', 'events', 'visits', null],
    nullable: true,
    type: String,
    example: 'visitors',
    description: 'What one entry counts; null for a series, which counts what is asked for.',
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
    description:
      'The first day on which it was collected: that of the installation, or of the release that brought it.',
  })
  collected_since!: string;
}
