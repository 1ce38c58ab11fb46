import { ApiProperty, ApiSchema } from '@nestjs/swagger';

const MOMENT = { type: String, format: 'date-time', example: '2026-01-31T12:00:00.000Z' } as const;

@ApiSchema({ description: 'That an alert was triggered.' })
export class FiringView {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty({ ...MOMENT, description: 'When it fired.' })
  at!: string;

  @ApiProperty({ ...MOMENT, description: 'The start of the window that was counted.' })
  from!: string;

  @ApiProperty({ ...MOMENT, description: 'Its end.' })
  to!: string;

  @ApiProperty({ type: Number, example: 512, description: 'The count.' })
  value!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: null,
    description: 'With rises and falls, the median of the same hour in the four weeks before.',
  })
  usual!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 500, description: 'The threshold then.' })
  threshold!: number | null;

  @ApiProperty({ type: 'integer', example: 2, description: 'The mails about it.' })
  mails!: number;

  @ApiProperty({ type: 'integer', example: 1, description: 'The deliveries to webhooks about it.' })
  webhooks!: number;
}

export const FIRING_COLUMNS = [
  'id',
  'at',
  'from',
  'to',
  'value',
  'usual',
  'threshold',
  'mails',
  'webhooks',
] as const satisfies (keyof FiringView)[];
