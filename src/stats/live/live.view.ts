import { ApiProperty } from '@nestjs/swagger';
import { WarningView } from '../dto/stats.view';

const VISITORS = { type: 'integer', example: 12 } as const;

export class LiveEntryView {
  @ApiProperty({ example: '/pricing' })
  value!: string;

  @ApiProperty({ example: '/pricing' })
  label!: string;

  @ApiProperty({ ...VISITORS, description: 'The visitors of it.' })
  count!: number;
}

export class LiveWindowView {
  @ApiProperty(VISITORS)
  visitors!: number;

  @ApiProperty({ type: [LiveEntryView], description: 'The ten pages that most of them viewed.' })
  pages!: LiveEntryView[];

  @ApiProperty({ type: [LiveEntryView], description: 'The ten hosts that most of them came from.' })
  referrers!: LiveEntryView[];

  @ApiProperty({ type: [LiveEntryView], description: 'The ten countries that most of them are in.' })
  countries!: LiveEntryView[];
}

class LiveMinuteView {
  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-01T09:30:00.000Z' })
  minute!: string;

  @ApiProperty(VISITORS)
  visitors!: number;
}

const MINUTES = {
  type: [LiveMinuteView] as [typeof LiveMinuteView],
  description: 'The visitors of each of the last 30 minutes of the clock; the last one is not over.',
};

export class LiveView {
  @ApiProperty()
  last_5_minutes!: LiveWindowView;

  @ApiProperty()
  last_30_minutes!: LiveWindowView;

  @ApiProperty(MINUTES)
  minutes!: LiveMinuteView[];
}

class LiveTotalView {
  @ApiProperty(VISITORS)
  visitors!: number;
}

class LiveTotalsView {
  @ApiProperty()
  last_5_minutes!: LiveTotalView;

  @ApiProperty()
  last_30_minutes!: LiveTotalView;

  @ApiProperty({
    ...MINUTES,
    required: false,
    description: `${MINUTES.description} Absent without share_filters.`,
  })
  minutes?: LiveMinuteView[];
}

export class LiveMetaView {
  @ApiProperty({ type: 'integer', example: 1 })
  website_id!: number;

  @ApiProperty({ example: 'UTC', description: 'The time zone at whose midnight a visitor counts anew.' })
  timezone!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    example: '2026-02-01T09:30:00.000Z',
    description: 'When it was read: every event that was acknowledged by then is in it.',
  })
  as_of!: string;

  @ApiProperty({
    required: false,
    type: [WarningView],
    description: 'live_incomplete where hits of the last 30 minutes are left out, since there are too many.',
  })
  warnings?: WarningView[];
}

export class LiveAnswerView {
  @ApiProperty()
  data!: LiveView;

  @ApiProperty()
  meta!: LiveMetaView;
}

export class LiveTotalsAnswerView {
  @ApiProperty()
  data!: LiveTotalsView;

  @ApiProperty()
  meta!: LiveMetaView;
}
