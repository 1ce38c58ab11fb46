import { nameSchema } from '../../goals/filters-field';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { ORDER_SCHEMA, STEPS_SCHEMA, WITHIN_SCHEMA } from '../../goals/funnels/funnel-schemas';
import {
  FUNNEL_ORDERS,
  FUNNEL_SPANS,
  type FunnelOrder,
  type FunnelWithin,
} from '../../../engine/questions/funnel-request';
import { checkSteps, type FunnelStep } from '../../goals/funnels/funnel-steps';
import { NotAllowed } from '../../../engine/ground/errors';
import { HasParts } from '../../validation/marks';
import { IfSent, IsText, NotBeside } from '../../validation/rules';
import { isQueryName, QUERY_NAMES, type QueryName } from '../../../engine/questions/parse/names';
import { type ComparisonName, COMPARISONS } from '../../../engine/questions/parse/query-range';
import { IsName } from './name';
import { COMPARE, QueryRangeView } from './query.view';
import { WalkMetaView, WalkQueryView } from './walk.view';

const MAX_NAME_LENGTH = 100;

function checkName(name: string): void {
  const { length } = [...name.slice(0, 2 * MAX_NAME_LENGTH + 1)];
  if (length === 0 || length > MAX_NAME_LENGTH)
    throw new NotAllowed(`must be the name of a funnel, with 1 to ${MAX_NAME_LENGTH} characters`);
}

/** A stored funnel by its name, or steps. */
@ApiSchema({ description: 'A stored funnel by its name, or steps.' })
export class FunnelQueryView extends WalkQueryView {
  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_NAME_LENGTH,
    description: 'The name of a stored funnel, instead of steps.',
  })
  @IsText('isFunnelName', checkName)
  @IfSent()
  funnel?: string;

  @ApiPropertyOptional(STEPS_SCHEMA)
  @HasParts(checkSteps)
  @NotBeside('funnel')
  steps?: FunnelStep[];

  @ApiPropertyOptional(ORDER_SCHEMA)
  @IsIn(FUNNEL_ORDERS, { message: `must be one of ${FUNNEL_ORDERS.join(', ')}` })
  @NotBeside('funnel')
  @IfSent()
  order?: FunnelOrder;

  @ApiPropertyOptional(WITHIN_SCHEMA)
  @IsIn(FUNNEL_SPANS, { message: `must be one of ${FUNNEL_SPANS.join(', ')}` })
  @NotBeside('funnel')
  @IfSent()
  within?: FunnelWithin;

  @ApiPropertyOptional(COMPARE)
  @IsIn(COMPARISONS, { message: `must be one of ${COMPARISONS.join(', ')}` })
  @IfSent()
  compare?: ComparisonName;

  @ApiPropertyOptional({
    ...nameSchema(QUERY_NAMES),
    description: 'A name: the ten most frequent values at the first step, each with its own steps.',
  })
  @IsName(isQueryName, QUERY_NAMES)
  @IfSent()
  breakdown?: QueryName;
}

const COUNT = { type: 'integer', example: 12 } as const;
const SHARE = { type: 'number', nullable: true, minimum: 0, maximum: 1, example: 0.25 } as const;
const SECONDS = { type: 'integer', nullable: true, example: 40 } as const;

@ApiSchema({ description: 'A page that visitors went to instead of the next step.' })
class NextPageView {
  @ApiProperty({ example: '/faq' })
  page!: string;

  @ApiProperty(COUNT)
  visitors!: number;
}

@ApiSchema({ description: 'The numbers of the compared range.' })
class PreviousStepView {
  @ApiProperty(COUNT)
  visitors!: number;

  @ApiProperty(SHARE)
  share!: number | null;

  @ApiProperty(SHARE)
  share_of_previous!: number | null;
}

@ApiSchema({ description: 'The visitors who reached a step.' })
export class FunnelStepResultView {
  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  step!: number;

  @ApiProperty({ type: String, nullable: true, example: 'Pricing' })
  name!: string | null;

  @ApiProperty({ ...COUNT, description: 'Visitors of a day who reach the step.' })
  visitors!: number;

  @ApiProperty({ ...SHARE, description: 'Of the visitors of the first step; null of nobody.' })
  share!: number | null;

  @ApiProperty({ ...SHARE, description: 'Of the visitors of the step before; null for the first step.' })
  share_of_previous!: number | null;

  @ApiProperty({ ...COUNT, description: 'Visitors who do not reach the next step; 0 for the last one.' })
  drop_off!: number;

  @ApiProperty({
    ...SECONDS,
    description: 'The seconds since the step before that half of the visitors took at most.',
  })
  median_seconds!: number | null;

  @ApiProperty({ ...SECONDS, description: 'The same for 90 percent of the visitors.' })
  p90_seconds!: number | null;

  @ApiProperty({
    type: [NextPageView],
    maxItems: 5,
    description: 'What those who do not reach the next step viewed next in their visit.',
  })
  next_pages!: NextPageView[];

  @ApiProperty({ type: PreviousStepView, required: false, description: 'In the compared range.' })
  previous?: PreviousStepView;
}

@ApiSchema({ description: 'The steps of the visitors with a value.' })
class FunnelValueResultView {
  @ApiProperty({ type: String, nullable: true, example: 'DE' })
  value!: string | null;

  @ApiProperty({ type: 'array', items: { type: 'integer' }, example: [12, 3] })
  steps!: number[];
}

@ApiSchema({ description: 'The steps of a funnel with their visitors.' })
export class FunnelResultView {
  @ApiProperty({ type: [FunnelStepResultView] })
  steps!: FunnelStepResultView[];

  @ApiProperty({ type: [FunnelValueResultView], maxItems: 10, required: false })
  breakdown?: FunnelValueResultView[];
}

const { items } = STEPS_SCHEMA;
const { filters } = items.properties;
const STEPS_OF_META = {
  ...STEPS_SCHEMA,
  items: { ...items, properties: { ...items.properties, filters: { ...filters, minItems: 0 } } },
  description: 'The steps. Of a stored funnel, viewers of a shared page see no filters.',
};

@ApiSchema({ description: 'The funnel as it was understood.' })
export class FunnelMetaView extends WalkMetaView {
  @ApiProperty({ type: String, required: false, description: 'The name of the stored funnel.' })
  funnel?: string;

  @ApiProperty(STEPS_OF_META)
  steps!: FunnelStep[];

  @ApiProperty(ORDER_SCHEMA)
  order!: FunnelOrder;

  @ApiProperty(WITHIN_SCHEMA)
  within!: FunnelWithin;

  @ApiProperty({ ...nameSchema(QUERY_NAMES), required: false })
  breakdown?: QueryName;

  @ApiProperty({ ...COMPARE, required: false })
  compare?: ComparisonName;

  @ApiProperty({ type: QueryRangeView, required: false })
  previous_range?: QueryRangeView;
}

@ApiSchema({ description: 'The answer to a query of a funnel.' })
export class FunnelAnswerView {
  @ApiProperty()
  data!: FunnelResultView;

  @ApiProperty()
  meta!: FunnelMetaView;
}
