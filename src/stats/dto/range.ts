import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IfSent, IsCalendarDay, IsOneOf, Required } from '../../validation/rules';

const DAY = { type: String, format: 'date' } as const;
const COMPARABLE = ['previous'] as const;
export type Comparison = (typeof COMPARABLE)[number];

export const IsFirstDay = () =>
  applyDecorators(
    Required(),
    IsCalendarDay(),
    ApiProperty({ ...DAY, example: '2026-01-01', description: 'The first day, as Y-m-d.' }),
  );

export const IsLastDay = () =>
  applyDecorators(
    Required(),
    IsCalendarDay(),
    ApiProperty({ ...DAY, example: '2026-01-31', description: 'The last day, as Y-m-d; it is included.' }),
  );

export const IsComparison = () =>
  applyDecorators(
    IfSent(),
    IsOneOf(COMPARABLE),
    ApiPropertyOptional({
      enum: COMPARABLE,
      description:
        'Adds the counts of the previous range, as many days right before this one: for a day its counterpart, for all other names the same value.',
    }),
  );
