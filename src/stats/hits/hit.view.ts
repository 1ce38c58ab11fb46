import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { FIELD_NAMES, FIELDS } from '../../../engine/hits/fields';
import { HIT_COLUMNS, type HitLine } from '../../../engine/hits/files/hit-lines';

const TEXT = { type: String } as const;
const TEXT_IF_KNOWN = { type: String, nullable: true } as const;

/** The fields that are not described as texts. */
const SCHEMAS: Partial<Record<keyof HitLine, ApiPropertyOptions>> = {
  occurred_at: { type: String, format: 'date-time', example: '2026-02-01T09:30:00Z' },
  day: { type: String, format: 'date', example: '2026-02-01' },
  visitor: {
    type: 'integer',
    nullable: true,
    example: 1,
    description:
      'The visitor as a number, from 1 on each day; null if the hit arrived too late to know the visitor.',
  },
  event: { ...TEXT_IF_KNOWN, description: 'The name of an event; null for a page view.' },
  props: {
    type: 'object',
    nullable: true,
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    example: { plan: 'team', seats: 5 },
    description: 'The properties of an event.',
  },
  value: { ...TEXT_IF_KNOWN, example: '49.9', description: 'An amount of the currency.' },
  passive: {
    type: Boolean,
    description: 'Whether it is an event that neither ends a bounce nor lengthens a visit.',
  },
  excluded: {
    type: Boolean,
    description: 'Whether an exclusion of the website leaves it out of all statistics.',
  },
};

/** A hit, with the names of the statistics. */
@ApiSchema({ description: 'A page view or an event.' })
export class HitView extends (class {} as Type<HitLine>) {}

for (const column of HIT_COLUMNS) {
  const isText = FIELD_NAMES.some((name) => name === column && FIELDS[name].none === '');
  ApiProperty(SCHEMAS[column] ?? (isText ? TEXT : TEXT_IF_KNOWN))(HitView.prototype, column);
}
