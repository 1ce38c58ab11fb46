import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type { Direction } from '../../validation/page-query';
import type { FilterJson } from '../questions/parse/filter';
import { type Metric, METRICS } from '../questions/plan/metrics';
import { ASKED_NAMES, type AskedName } from '../questions/parse/names';
import {
  DEFAULT_PER_PAGE,
  MAX_DIMENSIONS,
  MAX_PER_PAGE,
  MAX_QUESTIONS,
} from '../questions/parse/question-body';
import { type ComparisonName, COMPARISONS, RANGE_NAMES } from '../questions/parse/question-range';
import { nameSchema } from './name';
import { WarningView } from './stats.view';

class QuestionRangeView {
  @ApiProperty({ example: '2026-01-01' })
  from!: string;

  @ApiProperty({ example: '2026-01-31' })
  to!: string;
}

const FILTERS = {
  type: 'array',
  items: { type: 'array', items: {} },
  example: [['is', 'country', ['DE']]],
  description:
    'Joined by and; each is [OP, NAME, [VALUES]], where one of the values is enough and OP is one of is, is_not, contains, contains_not, starts, ends, or ["and" | "or", [ … ]], ["not", F], ["has_done" | "has_not_done", F]. null is what is not set.',
} as const;
const ORDER = {
  type: 'array',
  items: { type: 'array', items: { type: 'string' } },
  example: [['visitors', 'desc']],
  description: 'Metrics and dimensions, each with asc or desc. Ties go by the values of the dimensions.',
} as const;
const METRIC_LIST = { enum: METRICS, isArray: true, example: ['visitors', 'pageviews'] };
const NAME_LIST = { type: 'array', items: nameSchema(ASKED_NAMES), example: ['country'] } as const;
const RANGE = {
  anyOf: [
    { type: 'string', enum: RANGE_NAMES },
    { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
  ],
  example: '30d',
  description:
    'Two days, two moments with their offsets, or a name. All are included, and moments are taken by the second.',
};
const COMPARE = { enum: COMPARISONS, description: 'As long, right before; or the same of the year before.' };

/** One question. A `default` in the schema would make generated clients require the field. */
export class QuestionView {
  @ApiPropertyOptional({ ...METRIC_LIST, minItems: 1, description: 'What is counted.' })
  metrics?: Metric[];

  @ApiPropertyOptional({
    ...NAME_LIST,
    maxItems: MAX_DIMENSIONS,
    description: 'What the rows are; without any there is one row.',
  })
  dimensions?: AskedName[];

  @ApiPropertyOptional(FILTERS)
  filters?: FilterJson[];

  @ApiPropertyOptional(RANGE)
  range?: unknown;

  @ApiPropertyOptional(COMPARE)
  compare?: ComparisonName;

  @ApiPropertyOptional(ORDER)
  order_by?: [string, Direction][];

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: '1 where it is absent.' })
  page?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PER_PAGE,
    description: `${DEFAULT_PER_PAGE} where it is absent.`,
  })
  per_page?: number;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Whether a series of one dimension has the buckets in which nothing was counted. true where it is absent.',
  })
  fill?: boolean;

  @ApiPropertyOptional({
    type: String,
    description:
      'Lists the rows whose value or label contains this text; case is ignored. It needs one dimension.',
  })
  search?: string;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Whether rows are listed that have no value of the first dimension. true where it is absent.',
  })
  unset?: boolean;
}

/** The body: one question, or several. */
export class QuestionsView extends QuestionView {
  @ApiPropertyOptional({
    type: [QuestionView],
    maxItems: MAX_QUESTIONS,
    description: 'Several questions in place of one, answered from one moment.',
  })
  queries?: QuestionView[];
}

/** A member for each dimension and metric. */
export type QuestionRow = Record<string, string | number | null | Record<string, number | string | null>>;

export class QuestionMetaView {
  @ApiProperty({ type: 'integer', example: 1 })
  website_id!: number;

  @ApiProperty(METRIC_LIST)
  metrics!: Metric[];

  @ApiProperty(NAME_LIST)
  dimensions!: AskedName[];

  @ApiProperty(FILTERS)
  filters!: FilterJson[];

  @ApiProperty({ type: QuestionRangeView, description: 'The days, or the moments in UTC.' })
  range!: QuestionRangeView;

  @ApiProperty({ ...COMPARE, required: false })
  compare?: ComparisonName;

  @ApiProperty({ type: QuestionRangeView, required: false })
  previous_range?: QuestionRangeView;

  @ApiProperty(ORDER)
  order_by!: [string, Direction][];

  @ApiProperty({ type: Boolean })
  fill!: boolean;

  @ApiProperty({ type: 'integer', example: 1 })
  page!: number;

  @ApiProperty({ type: 'integer', example: DEFAULT_PER_PAGE })
  per_page!: number;

  @ApiProperty({ type: 'integer', example: 42, description: 'How many rows there are.' })
  total!: number;

  @ApiProperty({ example: 'UTC' })
  timezone!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-01T09:30:00.000Z' })
  as_of!: string;

  @ApiProperty({ type: [WarningView], required: false })
  warnings?: WarningView[];
}

const ROW = {
  type: 'object',
  additionalProperties: true,
  example: { country: 'DE', visitors: 12, pageviews: 30 },
  description:
    'A member for each dimension and metric; what a ratio is made of follows, and previous where compare is sent.',
} as const;

@ApiExtraModels(QuestionMetaView)
export class QuestionAnswerView {
  @ApiProperty({ type: 'array', items: ROW })
  data!: QuestionRow[];

  @ApiProperty()
  meta!: QuestionMetaView;
}

/** Of one question its rows and meta; of several a list of these. */
export const QUESTION_ANSWER = {
  anyOf: [
    { $ref: getSchemaPath(QuestionAnswerView) },
    {
      type: 'object' as const,
      required: ['data'],
      properties: { data: { type: 'array' as const, items: { $ref: getSchemaPath(QuestionAnswerView) } } },
    },
  ],
};
