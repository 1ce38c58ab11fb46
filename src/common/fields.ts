import {
  type ArgumentMetadata,
  applyDecorators,
  Injectable,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';
import { getMetadataStorage, IsDefined, ValidateBy, ValidateIf, validateSync } from 'class-validator';
import type { Fields } from './body';
import { InvalidFields } from './problem';

/** Turns what was sent into what is meant, or throws a NotAllowed that says what is allowed. */
export type Parse<T> = (sent: string) => T;

/** What is wrong with a field; it stands in the field's place until the fields are checked. */
export class NotAllowed extends Error {}

export interface FieldOptions<T> {
  parse: Parse<T>;
  required?: boolean;
  /** Sent empty or as null it becomes null: it is cleared, or was never set. */
  clearable?: boolean;
  /** Takes a JSON number as well as its digits. */
  numeric?: boolean;
  api: ApiPropertyOptions;
}

/** A property of a DTO that a client may send: how it is read, checked and documented. */
export function Field<T>({ parse, required, clearable, numeric, api }: FieldOptions<T>): PropertyDecorator {
  const read = (sent: unknown) => {
    if (sent === undefined) return undefined;
    if (clearable && (sent === null || sent === '')) return null;
    return attempt(parse, numeric && typeof sent === 'number' ? String(sent) : sent);
  };
  return applyDecorators(
    required ? IsDefined({ message: 'is required' }) : ValidateIf((_, value) => value !== undefined),
    Transform(({ value }) => read(value), { toClassOnly: true }),
    ValidateBy({
      name: 'allowed',
      validator: {
        validate: (value) => !(value instanceof NotAllowed),
        defaultMessage: (check) => (check?.value as NotAllowed).message,
      },
    }),
    ApiProperty({
      required: required ?? false,
      ...(clearable && { nullable: true }),
      ...api,
    } as ApiPropertyOptions),
  );
}

function attempt<T>(parse: Parse<T>, sent: unknown): T | NotAllowed {
  try {
    if (sent === null) throw new NotAllowed('must not be empty');
    if (typeof sent !== 'string') throw new NotAllowed(`must not be a ${typeof sent}`);
    if (!sent.isWellFormed()) throw new NotAllowed('must be well-formed Unicode text');
    return parse(sent);
  } catch (error) {
    if (error instanceof NotAllowed) return error;
    throw error;
  }
}

/** The fields of a route that takes none. */
export class NoFields {}

const MOST_NAMED = 20;
const LONGEST_NAME = 100;

/** Checks a query or a body against its DTO and names every field that is wrong, unknown ones included. */
@Injectable()
export class FieldsPipe implements PipeTransform {
  transform(sent: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object) return sent;
    return checked(sent ?? {}, metatype as Type<object>);
  }
}

function checked(sent: unknown, dto: Type<object>): object {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new InvalidFields({ body: ['must be an object of fields'] });
  const errors = new Map<string, string[]>();
  const fields = plainToInstance(dto, singleValues(sent as Fields, namesOf(dto), errors));
  for (const { property, constraints } of validateSync(fields, { forbidUnknownValues: false }))
    if (!errors.has(property)) errors.set(property, Object.values(constraints ?? {}));
  if (errors.size > 0) throw new InvalidFields(Object.fromEntries(errors));
  return fields;
}

/** Lets known names with plain values pass: what is nested could be nested too deep to be looked at. */
function singleValues(sent: Fields, known: Set<string>, errors: Map<string, string[]>): Fields {
  const taken = Object.create(null) as Fields;
  for (const [name, value] of Object.entries(sent)) {
    if (!known.has(name)) refuseUnknown(errors, name, known);
    else if (Array.isArray(value)) errors.set(name, ['must be sent once, as a single value']);
    else if (typeof value === 'object' && value !== null) errors.set(name, ['must not be an object']);
    else taken[name] = value;
  }
  return taken;
}

function refuseUnknown(errors: Map<string, string[]>, name: string, known: Set<string>): void {
  if (errors.size < MOST_NAMED)
    errors.set(name.slice(0, LONGEST_NAME).toWellFormed(), [`is not known here; ${listed(known)}`]);
}

function listed(known: Set<string>): string {
  return known.size === 0 ? 'nothing may be sent' : `allowed are ${[...known].join(', ')}`;
}

function namesOf(dto: Type<object>): Set<string> {
  const checks = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  return new Set(checks.map(({ propertyName }) => propertyName));
}
