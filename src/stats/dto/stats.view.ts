import { nameSchema } from '../../goals/filters-field';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PageMetaView } from '../../http/openapi/openapi';
import { ENTRY_NAMES, type EntryName } from '../../../engine/questions/listed-names';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import type { ExcludedBy } from '../../../engine/questions/exclusions';
import type { EntryUnit } from '../../../engine/questions/parse/names';
import { type Warning, WARNING_CODES } from '../warnings';

import { type StatEntry } from '../../../engine/questions/stat-entry';

@ApiSchema({ description: 'A value and how often it was counted.' })
export class StatEntryView implements StatEntry {
  @ApiProperty({ example: 'US' })
  value!: string;

  @ApiProperty({
    example: 'United States',
    description: 'The value in readable words, or unchanged.',
  })
  label!: string;

  @ApiProperty({ type: 'integer', example: 1234 })
  count!: number;

  @ApiProperty({
    type: 'integer',
    required: false,
    example: 1100,
    description: 'The count of the previous range, if compare is sent.',
  })
  previous_count?: number;
}

export const ENTRY_COLUMNS = ['value', 'label', 'count'] as const;
export const COMPARED_COLUMNS = [...ENTRY_COLUMNS, 'previous_count'] as const;

@ApiSchema({ description: 'What to know about the numbers.' })
export class WarningView {
  @ApiProperty({ enum: WARNING_CODES, description: 'Clients switch on it.' })
  code!: Warning['code'];

  @ApiProperty({ example: 'On 1 of the days, page had more values than the limit; …' })
  detail!: string;
}

@ApiSchema({ description: 'Two days; both are included.' })
class RangeView {
  @ApiProperty({ type: String, format: 'date', example: '2026-01-01' })
  from!: string;

  @ApiProperty({ type: String, format: 'date', example: '2026-01-31' })
  to!: string;
}

const DAY = { type: 'string', format: 'date' } as const;
export const DETAILED_RANGE = {
  type: 'object',
  nullable: true,
  selfRequired: false,
  required: ['from', 'to'] as string[],
  properties: { from: { ...DAY, example: '2026-01-03' }, to: { ...DAY, example: '2026-01-26' } },
  description:
    'On a shared page whose viewers may not filter, the longest part of the range for which all numbers are shown, the latest of equal ones. Null if there is none.',
} as const;
const SURROUNDING_RANGE = {
  ...DETAILED_RANGE,
  description:
    'Beside a `detailed_range` that is null: the smallest range with all days of the range for which all numbers are shown. Null if there is none, and on a page that is limited to a saved filter.',
} as const;
const NAME = { ...nameSchema(ENTRY_NAMES), example: 'country' };
const COUNTS = {
  enum: ['pageviews', 'visitors', 'events', 'visits'],
  example: 'visitors',
  description:
    'The counted unit. Visitors are counted by day: a visitor on two days of the range counts twice.',
};
const SUM = {
  type: 'integer',
  example: 5678,
  description: 'The sum of the counts of all matching entries.',
} as const;
const PREVIOUS_SUM = {
  type: 'integer',
  required: false,
  example: 5432,
  description: 'The sum of the previous range, if compare is sent.',
} as const;
const WEBSITE_ID = { type: 'integer', example: 1 } as const;
const PREVIOUS_RANGE = {
  required: false,
  description: 'The previous range, if compare is sent.',
} as const;
const TIMEZONE = { example: 'UTC', description: 'The time zone of days: that of the service.' };
const AS_OF = {
  type: String,
  format: 'date-time',
  example: '2026-02-01T09:30:00.000Z',
  description: 'Every event that was acknowledged by then is counted.',
};

const WARNINGS = {
  required: false,
  type: [WarningView] as [typeof WarningView],
  description:
    'Warnings about the numbers, if any: values_merged if a website had more values of the name than the limit, kept_since if a filter needs hits that have expired.',
};

const FILTERS = {
  required: false,
  type: 'array',
  items: {},
  example: [['is', 'country', ['DE']]],
  description: 'The filter in the form of a query, if filter is sent.',
} as const;

@ApiSchema({ description: 'An exclusion that concerns the days of the answer.' })
export class ExcludedView implements ExcludedBy {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty({ maxLength: 100, example: 'Referrer spam' })
  name!: string;
}

export const EXCLUDED = {
  required: false,
  type: [ExcludedView] as [typeof ExcludedView],
  description:
    'The exclusions of the website that concern the days, if any: what they select is left out. Viewers of a shared page get none.',
};

@ApiSchema({ description: 'Which page this is, and what was counted.' })
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

  @ApiProperty(DETAILED_RANGE)
  detailed_range?: RangeView | null;

  @ApiProperty(SURROUNDING_RANGE)
  surrounding_range?: RangeView | null;

  @ApiProperty(EXCLUDED)
  excluded?: ExcludedBy[];

  @ApiProperty(WARNINGS)
  warnings?: WarningView[];
}

@ApiSchema({ description: 'The largest entries of a name.' })
export class StatSummaryView {
  @ApiProperty(NAME)
  name!: EntryName;

  @ApiProperty(COUNTS)
  counts!: EntryUnit;

  @ApiProperty({ type: 'integer', example: 42, description: 'The total number of entries.' })
  total!: number;

  @ApiProperty(SUM)
  sum!: number;

  @ApiProperty(PREVIOUS_SUM)
  previous_sum?: number;

  @ApiProperty({
    type: [StatEntryView],
    description: 'The entries with the largest counts; for pageview and visitor the days in order.',
  })
  entries!: StatEntryView[];
}

@ApiSchema({ description: 'What was counted.' })
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

  @ApiProperty(DETAILED_RANGE)
  detailed_range?: RangeView | null;

  @ApiProperty(SURROUNDING_RANGE)
  surrounding_range?: RangeView | null;

  @ApiProperty(EXCLUDED)
  excluded?: ExcludedBy[];

  @ApiProperty(WARNINGS)
  warnings?: WarningView[];
}
