import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Property } from '../../../engine/hits/hit';
import { type HitLine } from '../../../engine/hits/hit-lines';

const TEXT = { type: String } as const;
const TEXT_IF_KNOWN = { type: String, nullable: true } as const;
const PROPERTIES: ApiPropertyOptions = {
  type: 'object',
  nullable: true,
  additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
  example: { plan: 'team', seats: 5 },
  description: 'The properties of an event.',
};

/** A hit, with the names of the statistics. */
export class HitView implements HitLine {
  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-01T09:30:00Z' })
  occurred_at!: string;

  @ApiProperty({ type: String, format: 'date', example: '2026-02-01' })
  day!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1,
    description:
      'The visitor as a number, from 1 on each day; null if the hit arrived too late to know the visitor.',
  })
  visitor!: number | null;

  @ApiProperty({ ...TEXT_IF_KNOWN, description: 'The name of an event; null for a page view.' })
  event!: string | null;

  @ApiProperty(TEXT_IF_KNOWN)
  hostname!: string | null;

  @ApiProperty(TEXT)
  page!: string;

  @ApiProperty(TEXT_IF_KNOWN)
  referrer!: string | null;

  @ApiProperty(TEXT_IF_KNOWN)
  referrer_page!: string | null;

  @ApiProperty(TEXT_IF_KNOWN)
  campaign!: string | null;

  @ApiProperty(TEXT_IF_KNOWN)
  source!: string | null;

  @ApiProperty(TEXT_IF_KNOWN)
  medium!: string | null;

  @ApiProperty(TEXT_IF_KNOWN)
  term!: string | null;

  @ApiProperty(TEXT_IF_KNOWN)
  content!: string | null;

  @ApiProperty(TEXT_IF_KNOWN)
  click_id!: string | null;

  @ApiProperty(TEXT)
  browser!: string;

  @ApiProperty(TEXT_IF_KNOWN)
  browser_version!: string | null;

  @ApiProperty(TEXT)
  operating_system!: string;

  @ApiProperty(TEXT_IF_KNOWN)
  operating_system_version!: string | null;

  @ApiProperty(TEXT)
  device!: string;

  @ApiProperty(TEXT)
  language!: string;

  @ApiProperty(TEXT)
  screen_resolution!: string;

  @ApiProperty(TEXT)
  continent!: string;

  @ApiProperty(TEXT)
  country!: string;

  @ApiProperty(TEXT)
  city!: string;

  @ApiProperty(PROPERTIES)
  props!: Record<string, Property[1]> | null;

  @ApiProperty({ ...TEXT_IF_KNOWN, example: '49.9', description: 'An amount of the currency.' })
  value!: string | null;

  @ApiProperty(TEXT_IF_KNOWN)
  currency!: string | null;

  @ApiProperty({
    type: Boolean,
    description: 'Whether it is an event that neither ends a bounce nor lengthens a visit.',
  })
  passive!: boolean;
}
