import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsInt } from 'class-validator';
import { NotAllowed } from '../../engine/ground/errors';
import { dayText } from '../../engine/ground/time/days';
import { day, DAY_MESSAGE } from '../../engine/ground/time/parsed';
import { checkFilters } from '../../engine/questions/parse/body-filters';
import type { FilterJson } from '../../engine/questions/parse/filter';
import { FILTERS_SCHEMA, IsStoredJson } from '../goals/filters-field';
import { Clearable, IfSent, IsFlag, IsText, SENT_FLAG } from '../validation/rules';
import { parsed, ReadAs } from '../validation/transforms';
import { IsResourceName, type Sent } from '../websites/resources/resource-fields';
import { NamedResourceView, shownAs } from '../websites/resources/resource.view';
import type { Exclusion } from './exclusion.entity';

export const SPAM = {
  name: 'Referrer spam',
  filters: [['is', 'referrer', ['spam.example']]],
  from: '2026-01-05',
  to: '2026-01-11',
};

const MAX_REASON = 500;

const FILTERS = {
  ...FILTERS_SCHEMA,
  minItems: 0,
  example: SPAM.filters,
  description:
    'Selects what is left out, as in a query. Goals and saved filters in it are written out when it is stored: later changes of them do not change it. All exclusions of a website have at most 100 conditions, 1,000 values and 16 KiB as JSON together.',
} as const;
const REASON = { type: String, maxLength: MAX_REASON, nullable: true, example: 'Bots since Monday' } as const;
const DAY = { type: String, format: 'date', nullable: true, example: SPAM.from } as const;
const FROM =
  'The first day, as Y-m-d. Without it, the exclusion begins with the first day whose hits are kept. Hits of days before it must be kept, too.';
const TO = 'The last day, as Y-m-d; it is included. Without it, the exclusion goes on.';

const IsFilters = (sent: Sent) => IsStoredJson(sent, checkFilters, FILTERS);

const IsDayOrNone = (description: string) =>
  applyDecorators(
    Clearable(),
    ReadAs((sent) => (sent === null || sent === '' ? null : parsed(day, sent, NaN))),
    IsInt({ message: DAY_MESSAGE }),
    ApiPropertyOptional({ ...DAY, description }),
  );

class ExclusionFields {
  @Clearable()
  @ReadAs((value) => (typeof value === 'string' ? value.trim() : value))
  @IsText('isReason', (text) => {
    if (text.length > MAX_REASON) throw new NotAllowed(`must have at most ${MAX_REASON} characters`);
  })
  @ApiPropertyOptional({ ...REASON, description: 'Why, in your own words.' })
  reason?: string | null;

  @IsDayOrNone(FROM)
  from?: number | null;

  @IsDayOrNone(TO)
  to?: number | null;

  @IfSent()
  @IsFlag()
  @ApiPropertyOptional({
    ...SENT_FLAG,
    default: false,
    description: 'Confirms filters that select all hits: true or 1.',
  })
  all?: boolean;
}

export class StoreExclusion extends ExclusionFields {
  @IsResourceName('stored', SPAM.name)
  name!: string;

  @IsFilters('stored')
  filters!: FilterJson[];
}

export class UpdateExclusion extends ExclusionFields {
  @IsResourceName('changed', SPAM.name)
  name?: string;

  @IsFilters('changed')
  filters?: FilterJson[];
}

@ApiSchema({ description: 'What is left out of all statistics of some days.' })
export class ExclusionView extends NamedResourceView {
  @ApiProperty(FILTERS)
  filters!: FilterJson[];

  @ApiProperty(REASON)
  reason!: string | null;

  @ApiProperty({ ...DAY, description: 'The first day. Null if all days are among them.' })
  from!: string | null;

  @ApiProperty({ ...DAY, example: SPAM.to, description: 'The last day. Null if it goes on.' })
  to!: string | null;

  @ApiProperty({
    type: Boolean,
    description:
      'Whether it was deleted when the hits of its days were no longer kept. It stays for these days, as long as their statistics do.',
  })
  final!: boolean;

  @ApiProperty({ example: 'console', description: 'The name of the key that made it.' })
  made_by!: string;

  static of(this: void, exclusion: Exclusion): ExclusionView {
    const { filters, reason, fromDay, toDay, final, madeBy } = exclusion;
    return shownAs(exclusion, {
      ...{ filters, reason },
      from: fromDay === 0 ? null : dayText(fromDay),
      to: toDay === null ? null : dayText(toDay),
      ...{ final: final === 1, made_by: madeBy },
    });
  }
}

export const EXCLUSION_COLUMNS = [
  'id',
  'name',
  'filters',
  'reason',
  'from',
  'to',
  'final',
  'made_by',
  'created_at',
  'updated_at',
] as const satisfies (keyof ExclusionView)[];
