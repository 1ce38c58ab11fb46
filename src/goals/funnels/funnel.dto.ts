import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { IfSent } from '../../validation/rules';
import { IsResourceName, type Sent } from '../../websites/resources/resource-fields';
import { NamedResourceView, shownAs } from '../../websites/resources/resource.view';
import { IsStoredJson, sizesOf } from '../filters-field';
import type { Funnel } from './funnel.entity';
import { ORDER_SCHEMA, STEPS_SCHEMA, WITHIN_SCHEMA } from './funnel-schemas';
import {
  FUNNEL_ORDERS,
  FUNNEL_SPANS,
  type FunnelOrder,
  type FunnelWithin,
} from '../../../engine/questions/funnel-request';
import { checkSteps, type FunnelStep } from './funnel-steps';

export const SIGNUPS = { name: 'Signups', steps: STEPS_SCHEMA.example };

const IsName = (sent: Sent) => IsResourceName(sent, SIGNUPS.name);
const STORED_STEPS = { ...STEPS_SCHEMA, description: `${STEPS_SCHEMA.description} ${sizesOf('funnels')}` };
const IsSteps = (sent: Sent) => IsStoredJson(sent, checkSteps, STORED_STEPS);

class FunnelRules {
  @IfSent()
  @IsIn(FUNNEL_ORDERS, { message: `must be one of ${FUNNEL_ORDERS.join(', ')}` })
  @ApiProperty({ ...ORDER_SCHEMA, required: false })
  order?: FunnelOrder;

  @IfSent()
  @IsIn(FUNNEL_SPANS, { message: `must be one of ${FUNNEL_SPANS.join(', ')}` })
  @ApiProperty({ ...WITHIN_SCHEMA, required: false })
  within?: FunnelWithin;
}

export class StoreFunnel extends FunnelRules {
  @IsName('stored')
  name!: string;

  @IsSteps('stored')
  steps!: FunnelStep[];
}

export class UpdateFunnel extends FunnelRules {
  @IsName('changed')
  name?: string;

  @IsSteps('changed')
  steps?: FunnelStep[];
}

@ApiSchema({ description: 'Steps that visitors should take, with a name.' })
export class FunnelView extends NamedResourceView {
  @ApiProperty(STEPS_SCHEMA)
  steps!: FunnelStep[];

  @ApiProperty({ ...ORDER_SCHEMA, example: 'open' })
  order!: FunnelOrder;

  @ApiProperty({ ...WITHIN_SCHEMA, example: 'visit' })
  within!: FunnelWithin;

  static of(this: void, funnel: Funnel): FunnelView {
    const { steps, order, within } = funnel;
    return shownAs(funnel, { steps, order, within });
  }
}

export const FUNNEL_COLUMNS = [
  'id',
  'name',
  'steps',
  'order',
  'within',
  'created_at',
  'updated_at',
] as const satisfies (keyof FunnelView)[];
