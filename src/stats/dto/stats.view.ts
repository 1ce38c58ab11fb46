import { ApiProperty } from '@nestjs/swagger';
import { PageMetaView } from '../../http/openapi/openapi';
import { ENTRY_NAMES, type EntryName } from '../name-list';
import type { FilterJson } from '../queries/parse/filter';
import type { EntryUnit } from '../queries/parse/names';
import { type Warning, WARNING_CODES } from '../warnings';
import { nameSchema } from './name';

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

  @ApiProperty({
    type: 'integer',
    required: false,
    example: 1100,
    description: 'What was counted in the previous range, where compare is sent.',
  })
  previous_count?: number;
}

export const ENTRY_COLUMNS = ['value', 'label', 'count'] as const;
export const COMPARED_COLUMNS = [...ENTRY_COLUMNS, 'previous_count'] as const;

export class WarningView {
  @ApiProperty({ enum: WARNING_CODES, description: 'Clients switch on it.' })
  code!: Warning['code'];

  @ApiProperty({ example: 'On 1 of the days page had more new values than are kept apart; …' })
  detail!: string;
}

class RangeView {
  @ApiProperty({ type: String, format: 'date', example: '2026-01-01' })
  from!: string;

  @ApiProperty({ type: String, format: 'date', example: '2026-01-31' })
  to!: string;
}

const NAME = { ...nameSchema(ENTRY_NAMES), example: 'country' };
const COUNTS = {
  enum: ['pageviews', 'visitors', 'events', 'visits'],
  example: 'visitors',
  description:
    'What is counted. Visitors are those of a day: who comes on two days of the range counts twice.',
};
const SUM = {
  type: 'integer',
  example: 5678,
  description: 'The counts of all matching entries together.',
} as const;
const PREVIOUS_SUM = {
  type: 'integer',
  required: false,
  example: 5432,
  description: 'The sum of the previous range, where compare is sent.',
} as const;
const WEBSITE_ID = { type: 'integer', example: 1 } as const;
const PREVIOUS_RANGE = {
  required: false,
  description: 'The previous range, where compare is sent.',
} as const;
const TIMEZONE = { example: 'UTC', description: "The time zone of the days: the service's own." };
const AS_OF = {
  type: String,
  format: 'date-time',
  example: '2026-02-01T09:30:00.000Z',
  description: 'Up to when every acknowledged event of the website is in the numbers.',
};

const WARNINGS = {
  required: false,
  type: [WarningView] as [typeof WarningView],
  description:
    'What has to be known about the numbers, if there is anything: values_merged where a website had more values of the name than are kept apart, kept_since where a filter asks for days whose hits are not kept any more.',
};

const FILTERS = {
  required: false,
  type: 'array',
  items: {},
  example: [['is', 'country', ['DE']]],
  description: 'The filter as a query has it, where filter is sent.',
} as const;

export class StatsMetaView extends PageMetaView {
  @ApiProperty(WEBSITE_ID)
  website_id!: number;

  @ApiProperty(NAME)
  name!: EntryName;

  @ApiProperty()
  range!: RangeView;

  @ApiProperty(PREVIOUS_RANGE)
  previous_range?: RangeView;

  @ApiProperty(COUNTS)
  counts!: EntryUnit;

  @ApiProperty(TIMEZONE)
  timezone!: string;

  @ApiProperty(SUM)
  sum!: number;

  @ApiProperty(PREVIOUS_SUM)
  previous_sum?: number;

  @ApiProperty(AS_OF)
  as_of!: string;

  @ApiProperty(FILTERS)
  filters?: FilterJson[];

  @ApiProperty(WARNINGS)
  warnings?: WarningView[];
}

export class StatSummaryView {
  @ApiProperty(NAME)
  name!: EntryName;

  @ApiProperty(COUNTS)
  counts!: EntryUnit;

  @ApiProperty({ type: 'integer', example: 42, description: 'How many entries there are.' })
  total!: number;

  @ApiProperty(SUM)
  sum!: number;

  @ApiProperty(PREVIOUS_SUM)
  previous_sum?: number;

  @ApiProperty({
    type: [StatEntryView],
    description: 'The entries with the largest counts; of pageview and visitor the days in their order.',
  })
  entries!: StatEntryView[];
}

export class SummaryMetaView {
  @ApiProperty(WEBSITE_ID)
  website_id!: number;

  @ApiProperty()
  range!: RangeView;

  @ApiProperty(PREVIOUS_RANGE)
  previous_range?: RangeView;

  @ApiProperty(TIMEZONE)
  timezone!: string;

  @ApiProperty(AS_OF)
  as_of!: string;

  @ApiProperty(FILTERS)
  filters?: FilterJson[];

  @ApiProperty(WARNINGS)
  warnings?: WarningView[];
}
