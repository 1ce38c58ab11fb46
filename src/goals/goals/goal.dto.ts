import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { checkSelectionOfHits } from '../../../engine/questions/parse/body-filters';
import type { ResolvedFilter } from '../../../engine/questions/parse/filter';
import { amountOf, decimalOf, isCurrency } from '../../../engine/hits/events/amount';
import { NotAllowed } from '../../../engine/ground/errors';
import { Clearable, IsAllowed } from '../../validation/rules';
import { ReadAs } from '../../validation/transforms';
import { IsResourceName, type Sent } from '../../websites/resources/resource-fields';
import { NamedResourceView, shownAs } from '../../websites/resources/resource.view';
import { FILTERS_SCHEMA, IsStoredJson, PAGES_AND_EVENTS, sizesOf } from '../filters-field';
import type { Goal } from './goal.entity';

export const SIGNUP = { name: 'Signup', filters: [['is', 'event', ['signup']]] };

const FILTERS = {
  ...FILTERS_SCHEMA,
  example: SIGNUP.filters,
  description: `The hits that reach the goal, as in a query, with a condition or more; it has neither goals nor saved filters. ${PAGES_AND_EVENTS} ${sizesOf('goals')}`,
} as const;
const VALUE: ApiPropertyOptions = {
  anyOf: [{ type: 'string' }, { type: 'number' }],
  nullable: true,
  required: false,
  example: '49.90',
  description:
    'What a conversion is worth: at most 15 digits, up to 4 of them behind the point. Without it, the values of the events count.',
};
const CURRENCY = {
  type: String,
  nullable: true,
  example: 'EUR',
  description: 'The ISO 4217 code of the currency of the value. Both are set, or neither.',
} as const;

const IsName = (sent: Sent) => IsResourceName(sent, SIGNUP.name);
const IsFilters = (sent: Sent) => IsStoredJson(sent, checkSelectionOfHits, FILTERS);

function decimal(sent: unknown): string | undefined {
  const amount = typeof sent === 'number' || typeof sent === 'string' ? amountOf(String(sent)) : undefined;
  return amount === undefined ? undefined : decimalOf(amount);
}

class GoalValue {
  @Clearable()
  @ReadAs((sent) => decimal(sent) ?? sent)
  @IsAllowed('isAmount', (sent) => {
    if (decimal(sent) === undefined)
      throw new NotAllowed(
        'must be a number, or a text like "-19.90", with at most 15 digits, up to 4 of them after the point',
      );
  })
  @ApiProperty(VALUE)
  value?: string | null;

  @Clearable()
  @IsAllowed('isCurrency', (sent) => {
    if (!isCurrency(sent)) throw new NotAllowed('must be an ISO 4217 code like EUR');
  })
  @ApiProperty({ ...CURRENCY, pattern: '^([A-Z]{3})?$', required: false })
  currency?: string | null;
}

export class StoreGoal extends GoalValue {
  @IsName('stored')
  name!: string;

  @IsFilters('stored')
  filters!: ResolvedFilter[];
}

export class UpdateGoal extends GoalValue {
  @IsName('changed')
  name?: string;

  @IsFilters('changed')
  filters?: ResolvedFilter[];
}

@ApiSchema({ description: 'What visitors should do.' })
export class GoalView extends NamedResourceView {
  @ApiProperty(FILTERS)
  filters!: ResolvedFilter[];

  @ApiProperty({ type: String, nullable: true, example: '49.9', description: VALUE.description })
  value!: string | null;

  @ApiProperty(CURRENCY)
  currency!: string | null;

  static of(this: void, goal: Goal): GoalView {
    const { filters, value, currency } = goal;
    return shownAs(goal, { filters, value, currency });
  }
}

export const GOAL_COLUMNS = [
  'id',
  'name',
  'filters',
  'value',
  'currency',
  'created_at',
  'updated_at',
] as const satisfies (keyof GoalView)[];
