import { ApiProperty } from '@nestjs/swagger';
import { PageMetaView } from '../../common/openapi';
import { type Counted, STAT_NAMES, type StatName } from '../dimensions';

export class StatEntryView {
  @ApiProperty({ example: 'US' })
  value!: string;

  @ApiProperty({
    example: 'United States',
    description: "The value in a person's words, or the value again.",
  })
  label!: string;

  @ApiProperty({ type: 'integer', example: 1234 })
  count!: number;
}

export class RangeView {
  @ApiProperty({ type: String, format: 'date', example: '2026-01-01' })
  from!: string;

  @ApiProperty({ type: String, format: 'date', example: '2026-01-31' })
  to!: string;
}

export class StatsMetaView extends PageMetaView {
  @ApiProperty({ type: 'integer', example: 1 })
  website_id!: number;

  @ApiProperty({ enum: STAT_NAMES, example: 'country' })
  name!: StatName;

  @ApiProperty()
  range!: RangeView;

  @ApiProperty({
    enum: ['pageviews', 'visitors', 'events'],
    example: 'visitors',
    description:
      'What is counted. Visitors are those of a day: who comes on two days of the range counts twice.',
  })
  counts!: Counted;

  @ApiProperty({ example: 'UTC', description: "The time zone of the days: the service's own." })
  timezone!: string;

  @ApiProperty({
    type: 'integer',
    example: 5678,
    description: 'The counts of all matching entries together.',
  })
  sum!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    example: '2026-02-01T09:30:00.000Z',
    description: 'Up to when every acknowledged event of the website is in the numbers.',
  })
  as_of!: string;
}
