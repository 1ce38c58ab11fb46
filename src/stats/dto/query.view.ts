import { applyDecorators } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  type ApiPropertyOptions,
  getSchemaPath,
  IntersectionType,
  ApiSchema,
} from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min, ValidateBy } from 'class-validator';
import { FILTER, PAGES_AND_EVENTS, nameSchema } from '../../goals/filters-field';
import { NotAllowed } from '../../../engine/ground/errors';
import { AsSent, HasParts, IsListOf } from '../../validation/marks';
import type { Direction } from '../../../engine/ground/rows';
import { DAY_OR_MOMENT, IfSent, IsAllowed, MAX_SEARCH_BYTES, NotBeside } from '../../validation/rules';
import { checkFilters } from '../../../engine/questions/parse/body-filters';
import { FILTER_LIMITS, QUESTION_LIMITS } from '../../../engine/questions/question-limits';
import { FILTER_NAMES, type FilterJson } from '../../../engine/questions/parse/filter';
import type { DimensionName } from '../../../engine/questions/plan/hit-query';
import { type Metric, METRICS } from '../../../engine/questions/plan/metrics';
import {
  type RequestedQuery,
  checkDimensions,
  checkMetrics,
  checkOrder,
  DEFAULT_PER_PAGE,
  dimensionsIn,
} from '../../../engine/questions/parse/query-body';
import {
  type RequestedRange,
  checkQueryRange,
  type ComparisonName,
  COMPARISONS,
  RANGE_NAMES,
  rangeIn,
} from '../../../engine/questions/parse/query-range';

import type { ExcludedBy } from '../../../engine/questions/exclusions';
import { DETAILED_RANGE, EXCLUDED, WarningView } from './stats.view';

const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / QUESTION_LIMITS.rowsOfPage);

@ApiSchema({ description: 'Two days or two moments; both are included.' })
export class QueryRangeView {
  @ApiProperty({ example: '2026-01-01' })
  from!: string;

  @ApiProperty({ example: '2026-01-31' })
  to!: string;
}

export const FILTERS = {
  type: 'array',
  maxItems: FILTER_LIMITS.conditions,
  items: FILTER,
  example: [['is', 'country', ['DE']]],
  description:
    'Joined by and; each is [OP, NAME, [VALUES]], where one matching value is enough and OP is one of is, is_not, contains, contains_not, starts, ends, or ["and" | "or", [ … ]], ["not", F], ["has_done" | "has_not_done", F]. null means "not set". ["is", "goal", ["Signup"]] and ["saved", "Mobile"] name goals and saved filters of the website. ' +
    `${PAGES_AND_EVENTS} At most ${FILTER_LIMITS.conditions} conditions with ${FILTER_LIMITS.values} values, ${FILTER_LIMITS.levels} levels deep.`,
} as const;
const ORDER = {
  type: 'array',
  maxItems: QUESTION_LIMITS.orderings,
  items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
  example: [['visitors', 'desc']],
  description:
    'Metrics and dimensions, each with asc or desc. Ties are ordered by the values of the dimensions.',
} as const;
const METRIC_LIST = {
  enum: METRICS,
  isArray: true,
  maxItems: METRICS.length,
  uniqueItems: true,
  example: ['visitors', 'pageviews'],
};
const METRICS_SENT = { ...METRIC_LIST, minItems: 1, description: 'What is counted.' };
const NAME_LIST = { type: 'array', items: nameSchema(FILTER_NAMES), example: ['country'] } as const;
const DAY_OR_MILLISECONDS = {
  anyOf: [
    { type: 'string', pattern: `${DAY_OR_MOMENT}|^(0|[1-9]\\d{0,14})$` },
    { type: 'integer', minimum: 0 },
  ],
};
export const RANGE = {
  anyOf: [
    { type: 'string', enum: RANGE_NAMES },
    { type: 'array', items: DAY_OR_MILLISECONDS, minItems: 2, maxItems: 2 },
  ],
  example: '30d',
  description:
    'Two days, two moments with offsets or in milliseconds since 1970, or a name. Both ends are included; moments are cut to seconds.',
};
export const COMPARE = {
  enum: COMPARISONS,
  description: 'The range of the same length right before, or the same range a year before.',
};

const IsYesOrNo = () => IsIn([true, false], { message: 'must be one of true, false' });

function IsCount(most: number): PropertyDecorator {
  const message = `must be an integer from 1 to ${most}`;
  return applyDecorators(IsInt({ message }), Min(1, { message }), Max(most, { message }));
}

function checkSearch(text: unknown): void {
  if (typeof text !== 'string' || !text.isWellFormed() || Buffer.byteLength(text) > MAX_SEARCH_BYTES)
    throw new NotAllowed(`must be a text of at most ${MAX_SEARCH_BYTES} bytes`);
}

/** A search needs exactly one dimension. */
const BesideOneDimension = () =>
  ValidateBy({
    name: 'besideOneDimension',
    validator: {
      validate: (_, about) => dimensionsIn((about!.object as HitQueryView).dimensions).length === 1,
      defaultMessage: () => 'must stand beside one dimension',
    },
  });

/** The default values. */
const ABSENT = { dimensions: [], filters: [], page: 1, per_page: DEFAULT_PER_PAGE, fill: true, unset: true };

/** One query. */
@ApiSchema({ description: 'A query.' })
export class HitQueryView {
  @ApiProperty(METRICS_SENT)
  @HasParts(checkMetrics)
  @NotBeside('queries')
  metrics!: Metric[];

  @ApiPropertyOptional({
    ...NAME_LIST,
    maxItems: QUESTION_LIMITS.dimensions,
    uniqueItems: true,
    description: 'The names that rows are grouped by. Without any there is one row.',
  })
  @HasParts(checkDimensions)
  @NotBeside('queries')
  @IfSent()
  dimensions?: DimensionName[];

  @ApiPropertyOptional(FILTERS)
  @HasParts(checkFilters)
  @NotBeside('queries')
  @IfSent()
  filters?: FilterJson[];

  @ApiProperty(RANGE)
  @IsAllowed('isRange', (range) => checkQueryRange(range as RequestedRange | undefined))
  @AsSent((sent) => rangeIn(sent) ?? null)
  @NotBeside('queries')
  range!: RequestedRange;

  @ApiPropertyOptional(COMPARE)
  @IsIn(COMPARISONS, { message: `must be one of ${COMPARISONS.join(', ')}` })
  @NotBeside('queries')
  @IfSent()
  compare?: ComparisonName;

  @ApiPropertyOptional(ORDER)
  @HasParts(checkOrder)
  @NotBeside('queries')
  @IfSent()
  order_by?: [Metric | DimensionName, Direction][];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: ABSENT.page,
    description: 'The page to show.',
  })
  @IsCount(MAX_PAGE)
  @NotBeside('queries')
  @IfSent()
  page?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: QUESTION_LIMITS.rowsOfPage,
    default: ABSENT.per_page,
    description: 'The number of rows on a page.',
  })
  @IsCount(QUESTION_LIMITS.rowsOfPage)
  @NotBeside('queries')
  @IfSent()
  per_page?: number;

  @ApiPropertyOptional({
    type: Boolean,
    default: ABSENT.fill,
    description: 'Whether a series of one dimension has buckets without a count.',
  })
  @IsYesOrNo()
  @NotBeside('queries')
  @IfSent()
  fill?: boolean;

  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_SEARCH_BYTES,
    description:
      'Lists rows that contain this text in the value or the label. Case is ignored. It needs one dimension.',
  })
  @BesideOneDimension()
  @IsAllowed('isSearch', checkSearch)
  @AsSent((sent) => (sent === '' ? undefined : sent))
  @NotBeside('queries')
  @IfSent()
  search?: string;

  @ApiPropertyOptional({
    type: Boolean,
    default: ABSENT.unset,
    description: 'Whether rows without a value of the first dimension are listed.',
  })
  @IsYesOrNo()
  @NotBeside('queries')
  @IfSent()
  unset?: boolean;
}

const QUERIES_SENT: ApiPropertyOptions = {
  type: [HitQueryView],
  minItems: 1,
  maxItems: QUESTION_LIMITS.queries,
  description: 'Several queries instead of one. All answers are of one moment.',
};

@ApiSchema({ description: 'Several queries, which are answered of one moment.' })
export class SeveralQueriesView {
  @ApiProperty(QUERIES_SENT)
  @IsListOf(() => HitQueryView, QUESTION_LIMITS.queries)
  @IfSent()
  queries?: HitQueryView[];
}

/** The body: one query, or several. */
export class HitQueriesView extends IntersectionType(HitQueryView, SeveralQueriesView) {}
for (const [name, schema] of Object.entries({ metrics: METRICS_SENT, range: RANGE, queries: QUERIES_SENT }))
  ApiPropertyOptional(schema)(HitQueriesView.prototype, name);

/** The queries, with default values for missing fields. */
export function queriesIn(body: HitQueriesView): RequestedQuery[] {
  return (body.queries ?? [body]).map((one) => ({
    ...ABSENT,
    compare: undefined,
    order_by: undefined,
    search: undefined,
    ...one,
  }));
}

/** A member for each dimension and metric. */
export type QueryRow = Record<string, string | number | null | Record<string, number | string | null>>;

@ApiSchema({ description: 'The query as it was understood.' })
export class QueryMetaView {
  @ApiProperty({ type: 'integer', example: 1 })
  website_id!: number;

  @ApiProperty(METRIC_LIST)
  metrics!: Metric[];

  @ApiProperty(NAME_LIST)
  dimensions!: DimensionName[];

  @ApiProperty(FILTERS)
  filters!: FilterJson[];

  @ApiProperty({ type: QueryRangeView, description: 'The days, or the moments in UTC.' })
  range!: QueryRangeView;

  @ApiProperty({ ...COMPARE, required: false })
  compare?: ComparisonName;

  @ApiProperty({ type: QueryRangeView, required: false })
  previous_range?: QueryRangeView;

  @ApiProperty(DETAILED_RANGE)
  detailed_range?: QueryRangeView | null;

  @ApiProperty(ORDER)
  order_by!: [string, Direction][];

  @ApiProperty({ type: Boolean })
  fill!: boolean;

  @ApiProperty({ type: 'integer', example: 1 })
  page!: number;

  @ApiProperty({ type: 'integer', example: DEFAULT_PER_PAGE })
  per_page!: number;

  @ApiProperty({ type: 'integer', example: 42, description: 'The total number of rows.' })
  total!: number;

  @ApiProperty({ example: 'UTC' })
  timezone!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-01T09:30:00.000Z' })
  as_of!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    selfRequired: false,
    example: { 'Team plan': 'EUR' },
    description: 'The currency of each goal whose own value is the value of conversions in the rows.',
  })
  goal_currencies?: Record<string, string>;

  @ApiProperty(EXCLUDED)
  excluded?: ExcludedBy[];

  @ApiProperty({ type: [WarningView], required: false })
  warnings?: WarningView[];
}

const ROW = {
  type: 'object',
  additionalProperties: true,
  example: { country: 'DE', visitors: 12, pageviews: 30 },
  description:
    'A member for each dimension and metric, then the parts of ratios, and previous if compare is sent.',
} as const;

@ApiExtraModels(QueryMetaView)
@ApiSchema({ description: 'The answer to a query.' })
export class QueryAnswerView {
  @ApiProperty({ type: 'array', items: ROW })
  data!: QueryRow[];

  @ApiProperty()
  meta!: QueryMetaView;
}

export const QUERY_BODY = {
  title: 'HitQueries',
  anyOf: [HitQueryView, SeveralQueriesView].map((view) => ({ $ref: getSchemaPath(view) })),
};

/** Answers to several queries, in their order. */
@ApiSchema({ description: 'The answers to several queries, in their order.' })
export class SeveralAnswersView {
  @ApiProperty({ type: [QueryAnswerView] })
  data!: QueryAnswerView[];
}

/** The rows and meta of one query, or a list of these for several. */
export const QUERY_ANSWER = {
  title: 'QueryAnswers',
  anyOf: [QueryAnswerView, SeveralAnswersView].map((view) => ({ $ref: getSchemaPath(view) })),
};
