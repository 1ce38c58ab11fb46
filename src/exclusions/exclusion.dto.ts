import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsInt, IsString } from 'class-validator';
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
/** A form sends an empty text for none, which is no date. */
const SENT_DAY = { ...DAY, format: undefined, pattern: String.raw`^(\d{4}-\d{2}-\d{2})?$` };
const FROM =
  'The first day, as Y-m-d. Without it, the exclusion begins with the first day whose hits are kept. Hits of days before it must be kept, too.';
const TO = 'The last day, as Y-m-d; it is included. Without it, the exclusion goes on.';

const PURGE =
  'Removes the hits for good, day by day: true or 1. Each day is purged once its visitors are forgotten, 48 hours after its end. The exclusion needs a last day. It stays in force until that day is purged, and is gone then; its filters and days no longer change, and deleting it ends the purge for the days that are left. Numbers may change again: visits, bounces, entries and exits are made from the hits that remain.';

const IsFilters = (sent: Sent) => IsStoredJson(sent, checkFilters, FILTERS);

const IsDayOrNone = (description: string) =>
  applyDecorators(
    Clearable(),
    ReadAs((sent) => (sent === null || sent === '' ? null : parsed(day, sent, NaN))),
    IsInt({ message: DAY_MESSAGE }),
    ApiPropertyOptional({ ...SENT_DAY, description }),
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

  @IfSent()
  @IsFlag()
  @ApiPropertyOptional({ ...SENT_FLAG, default: false, description: PURGE })
  purge?: boolean;

  @IfSent()
  @IsString()
  @ApiPropertyOptional({
    example: 'example.com',
    description: 'The domain of the website. It confirms a purge, and is not read without one.',
  })
  domain?: string;
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

  @ApiProperty({
    type: Boolean,
    description: 'Whether its hits are being removed for good. It is gone once its last day is purged.',
  })
  purge!: boolean;

  @ApiProperty({ example: 'console', description: 'The name of the key that made it.' })
  made_by!: string;

  static of(this: void, exclusion: Exclusion): ExclusionView {
    const { filters, reason, fromDay, toDay, final, purge, madeBy } = exclusion;
    return shownAs(exclusion, {
      ...{ filters, reason },
      from: fromDay === 0 ? null : dayText(fromDay),
      to: toDay === null ? null : dayText(toDay),
      ...{ final: final === 1, purge: purge === 1, made_by: madeBy },
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
  'purge',
  'made_by',
  'created_at',
  'updated_at',
] as const satisfies (keyof ExclusionView)[];
