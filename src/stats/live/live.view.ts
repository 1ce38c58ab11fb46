import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { WarningView } from '../dto/stats.view';

const VISITORS = { type: 'integer', example: 12 } as const;

@ApiSchema({ description: 'A value and its visitors.' })
export class LiveEntryView {
  @ApiProperty({ example: '/pricing' })
  value!: string;

  @ApiProperty({ example: '/pricing' })
  label!: string;

  @ApiProperty({ ...VISITORS, description: 'The number of its visitors.' })
  count!: number;
}

@ApiSchema({ description: 'The visitors of the last minutes.' })
export class LiveWindowView {
  @ApiProperty(VISITORS)
  visitors!: number;

  @ApiProperty({ type: [LiveEntryView], description: 'The ten pages with the most of these visitors.' })
  pages!: LiveEntryView[];

  @ApiProperty({
    type: [LiveEntryView],
    description: 'The ten referring hosts with the most of these visitors.',
  })
  referrers!: LiveEntryView[];

  @ApiProperty({ type: [LiveEntryView], description: 'The ten countries with the most of these visitors.' })
  countries!: LiveEntryView[];
}

@ApiSchema({ description: 'The visitors of a minute.' })
class LiveMinuteView {
  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-01T09:30:00.000Z' })
  minute!: string;

  @ApiProperty(VISITORS)
  visitors!: number;
}

const MINUTES = {
  type: [LiveMinuteView] as [typeof LiveMinuteView],
  description: 'The visitors of each of the last 30 minutes of the clock; the last minute is not over.',
};

@ApiSchema({ description: 'Who is on the website now.' })
export class LiveView {
  @ApiProperty()
  last_5_minutes!: LiveWindowView;

  @ApiProperty()
  last_30_minutes!: LiveWindowView;

  @ApiProperty(MINUTES)
  minutes!: LiveMinuteView[];
}

@ApiSchema({ description: 'The visitors of some minutes, rounded down.' })
class LiveTotalView {
  @ApiProperty(VISITORS)
  visitors!: number;
}

const UNLESS_LIMITED = {
  required: false,
  description: 'Absent where the page is limited to a saved filter.',
} as const;

@ApiSchema({ description: 'Live visitors as viewers see them.' })
class LiveTotalsView {
  @ApiProperty(UNLESS_LIMITED)
  last_5_minutes?: LiveTotalView;

  @ApiProperty(UNLESS_LIMITED)
  last_30_minutes?: LiveTotalView;

  @ApiProperty({
    ...MINUTES,
    required: false,
    description: `${MINUTES.description} Absent without share_filters.`,
  })
  minutes?: LiveMinuteView[];
}

@ApiSchema({ description: 'The moment of the numbers.' })
export class LiveMetaView {
  @ApiProperty({ type: 'integer', example: 1 })
  website_id!: number;

  @ApiProperty({ example: 'UTC', description: 'The time zone of days, whose midnight separates visitors.' })
  timezone!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    example: '2026-02-01T09:30:00.000Z',
    description: 'Every event that was acknowledged by then is counted.',
  })
  as_of!: string;

  @ApiProperty({
    required: false,
    type: [WarningView],
    description: 'live_incomplete if hits of the last 30 minutes are left out because they are too many.',
  })
  warnings?: WarningView[];
}

@ApiSchema({ description: 'Live visitors.' })
export class LiveAnswerView {
  @ApiProperty()
  data!: LiveView;

  @ApiProperty()
  meta!: LiveMetaView;
}

@ApiSchema({ description: 'Live visitors, for viewers.' })
export class LiveTotalsAnswerView {
  @ApiProperty()
  data!: LiveTotalsView;

  @ApiProperty()
  meta!: LiveMetaView;
}
