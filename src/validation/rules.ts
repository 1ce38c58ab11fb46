import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsBoolean,
  IsDate,
  IsDefined,
  IsIn,
  IsInt,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { NotAllowed } from '../../engine/ground/errors';
import type { Fields } from './fields';
import { day, DAY_MESSAGE } from '../../engine/ground/time/parsed';
import { DATE_TIME_MESSAGE, dateTime } from './parsers';
import { boolean, emptyAsNull, integer, parsed, ReadAs, switchOf, withoutZ } from './transforms';

export const Required = () => IsDefined({ message: 'is required' });

/** The field's rules apply if it was sent. Unlike with IsOptional, null counts as sent. */
export const IfSent = () => ValidateIf((_, value) => value !== undefined);

/** The field's other rules apply if the other field was not sent; both together are an error. */
export const NotBeside = (other: string) =>
  applyDecorators(
    ValidateIf((dto: Fields, value) => value !== undefined || dto[other] === undefined),
    ValidateBy({
      name: 'notBeside',
      validator: {
        validate: (_, about) => (about!.object as Fields)[other] === undefined,
        defaultMessage: () => `cannot be combined with "${other}"`,
      },
    }),
  );

/** The field may be absent; an empty text or null clears it. */
export const Clearable = () =>
  applyDecorators(
    ReadAs(emptyAsNull),
    ValidateIf((_, value) => value !== undefined && value !== null),
  );

/** One of several texts, or of several integers as numbers or digits. */
export function IsOneOf(values: readonly (string | number)[]): PropertyDecorator {
  return applyDecorators(
    ...(values.every((value) => typeof value === 'number') ? [ReadAs(integer)] : []),
    IsIn(values, { message: oneOf(values) }),
  );
}

/** Unique ids of websites: a list, or a text with commas between them. */
export function IsListOfIds(most: number): PropertyDecorator {
  const ids = { each: true, message: 'must be a list of ids of websites' };
  return applyDecorators(
    ReadAs(idsOf),
    IsInt(ids),
    Min(1, ids),
    Max(Number.MAX_SAFE_INTEGER, ids),
    ArrayUnique({ message: 'must not contain duplicates' }),
    ArrayMaxSize(most, { message: `must have at most ${most} ids` }),
  );
}

function idsOf(sent: unknown): unknown {
  if (sent === '') return null;
  if (typeof sent === 'string') return sent.split(',').map((id) => integer(id.trim()));
  if (Array.isArray(sent)) return sent.length === 0 ? [NaN] : sent.map(integer);
  return [sent];
}

function oneOf(values: readonly (string | number)[]): string {
  return values.length === 1 ? `must be "${values[0]}"` : `must be one of ${values.join(', ')}`;
}

/** The schema of a switch that is sent. A form has texts, and `1` is one of either branch, so exactly one cannot hold. */
export const SENT_SWITCH = { anyOf: [{ type: 'integer', enum: [0, 1] }, { type: 'boolean' }] };

export const IsSwitch = () => applyDecorators(ReadAs(switchOf), IsIn([0, 1], { message: 'must be 0 or 1' }));

/** The schema of a flag in a query. */
export const SENT_FLAG = { anyOf: [{ type: 'boolean' }, { type: 'integer', enum: [0, 1] }] };

export const IsFlag = () =>
  applyDecorators(ReadAs(boolean), IsBoolean({ message: 'must be one of true, false, 1, 0' }));

export function IsPositiveInteger(): PropertyDecorator {
  const message = 'must be a positive integer';
  return applyDecorators(
    ReadAs(integer),
    IsInt({ message }),
    Min(1, { message }),
    Max(Number.MAX_SAFE_INTEGER, { message }),
  );
}

/** A text `Y-m-d`, converted to the number of days since 1970-01-01. */
export const IsCalendarDay = () =>
  applyDecorators(
    ReadAs((sent) => parsed(day, sent, NaN)),
    IsInt({ message: DAY_MESSAGE }),
  );

/** The pattern of a day, or of a moment with its offset. */
export const DAY_OR_MOMENT =
  '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))?$';

/** An empty text clears it. */
export const SENT_DATE_TIME = { pattern: '^(\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z?)?$' };

/** A text `Y-m-dTH:i:s` in UTC, converted to a Date. */
export const IsDateTime = () =>
  applyDecorators(
    ReadAs((sent, params) => parsed(dateTime, withoutZ(sent, params), NaN)),
    IsDate({ message: DATE_TIME_MESSAGE }),
  );

export const MAX_SEARCH_BYTES = 1024;

/** A text to search for; an empty one becomes undefined. */
export const IsSearchText = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, maxLength: MAX_SEARCH_BYTES, description }),
    ReadAs((sent) => (sent === '' ? undefined : sent)),
    IsText('isSearchText', (text) => {
      if (Buffer.byteLength(text) > MAX_SEARCH_BYTES) throw new NotAllowed('must have at most 1,024 bytes');
    }),
  );

/** A text that passes the check. A NotAllowed from the check is the error message. */
export function IsText(name: string, check: (text: string) => unknown): PropertyDecorator {
  return IsAllowed(name, (value) => {
    if (typeof value !== 'string') throw new NotAllowed('must be a text');
    check(value);
  });
}

/** A value that passes the check. A NotAllowed from the check is the error message. */
export function IsAllowed(name: string, check: (value: unknown) => unknown): PropertyDecorator {
  const problemOf = (value: unknown): string | undefined => {
    try {
      check(value);
      return undefined;
    } catch (error) {
      if (error instanceof NotAllowed) return error.message;
      throw error;
    }
  };
  return ValidateBy({
    name,
    validator: {
      validate: (value) => problemOf(value) === undefined,
      defaultMessage: (about) => problemOf(about?.value) ?? '',
    },
  });
}
