import { ApiProperty, ApiPropertyOptional, OmitType, ApiSchema } from '@nestjs/swagger';
import { PageQuery } from '../../validation/page-query';
import { IfSent, IsOneOf } from '../../validation/rules';
import { DELIVERY_EVENTS, type DeliveryEvent } from '../events';
import {
  type AttemptAnswer,
  type Delivery,
  DELIVERY_STATES,
  type DeliveryState,
  MAX_ANSWERS,
  type WholeDelivery,
} from './delivery';
import { postedBody } from './delivery-body';

const MOMENT = { type: String, format: 'date-time', example: '2026-01-31T12:00:00.000Z' } as const;
const momentOf = (moment: number) => new Date(moment).toISOString();

/** The latest first. */
export class ListDeliveries extends OmitType(PageQuery, ['sort']) {
  @IfSent()
  @IsOneOf(DELIVERY_STATES)
  @ApiPropertyOptional({ enum: DELIVERY_STATES, description: 'Shows those in this state.' })
  state?: DeliveryState;
}

@ApiSchema({ description: 'What is posted to a webhook, without its text.' })
export class DeliveryView {
  @ApiProperty({ example: '12', description: 'A number, as a text: the same in what is posted.' })
  id!: string;

  @ApiProperty({ enum: DELIVERY_EVENTS, example: 'goal.reached' })
  event!: DeliveryEvent;

  @ApiProperty({ enum: DELIVERY_STATES, example: 'delivered' })
  state!: DeliveryState;

  @ApiProperty({ type: 'integer', example: 1, description: 'Since it was created, or sent again.' })
  attempts!: number;

  @ApiProperty({ type: 'integer', nullable: true, example: 1, description: 'Null for a test.' })
  website_id!: number | null;

  @ApiProperty({
    ...MOMENT,
    nullable: true,
    description: 'Not before this moment, and later if others go first. Null unless it is waiting.',
  })
  next_attempt_at!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 200,
    description: 'The status of the last answer; null without an answer.',
  })
  last_status!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why the last attempt failed.' })
  last_error!: string | null;

  @ApiProperty(MOMENT)
  created_at!: string;

  @ApiProperty({ ...MOMENT, nullable: true, description: 'When it was delivered, or failed.' })
  ended_at!: string | null;

  static of(this: void, delivery: Delivery): DeliveryView {
    const { id, event, state, attempts, websiteId, dueAt, lastStatus, lastError, createdAt, endedAt } =
      delivery;
    return {
      ...{ id: String(id), event, state, attempts, website_id: websiteId },
      next_attempt_at: state === 'waiting' ? momentOf(dueAt) : null,
      ...{ last_status: lastStatus, last_error: lastError },
      created_at: momentOf(createdAt),
      ended_at: endedAt === null ? null : momentOf(endedAt),
    };
  }
}

@ApiSchema({ description: 'An attempt of a delivery.' })
export class AttemptView implements AttemptAnswer {
  @ApiProperty(MOMENT)
  at!: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 200 })
  status!: number | null;

  @ApiProperty({ type: 'integer', example: 85 })
  duration_ms!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ok',
    description: 'The first 1,000 bytes of the body.',
  })
  answer!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  error!: string | null;
}

@ApiSchema({ description: 'A delivery with its text and its attempts.' })
export class WholeDeliveryView extends DeliveryView {
  @ApiProperty({
    example: '{"id":"12","event":"test",…}',
    description: 'The text that is posted, at most 64 KiB.',
  })
  body!: string;

  @ApiProperty({
    type: [AttemptView],
    maxItems: MAX_ANSWERS,
    description: `The last ${MAX_ANSWERS} attempts, the latest last.`,
  })
  answers!: AttemptView[];

  static ofWhole(this: void, delivery: WholeDelivery): WholeDeliveryView {
    const { id, body, answers } = delivery;
    return { ...DeliveryView.of(delivery), body: postedBody(id, body), answers };
  }
}

export const DELIVERY_COLUMNS = [
  'id',
  'event',
  'state',
  'attempts',
  'website_id',
  'next_attempt_at',
  'last_status',
  'last_error',
  'created_at',
  'ended_at',
] as const satisfies (keyof DeliveryView)[];
