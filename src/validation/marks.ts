import { applyDecorators, type Type } from '@nestjs/common';
import { Transform, Type as TypeOf } from 'class-transformer';
import { Allow, ArrayMaxSize, ArrayNotEmpty, ValidateBy, ValidateNested } from 'class-validator';
import { type Refuse } from '../../engine/ground/errors';

type Check = (sent: unknown, refuse: Refuse, dto: object) => unknown;

/** The FieldsPipe's knowledge of a field, stored as the context of one of its rules, which mapped types preserve. */
export interface Marks {
  isAsSent?: true;
  list?: { dto: () => Type<object>; most: number };
  problemsOf?: (value: unknown, dto: object) => Map<string, string>;
}

export const HAS_PARTS = 'hasParts';

/** Tells whether a value has parts, which forms cannot express and which have rules of their own. */
export function hasParts({ isAsSent, list }: Marks): boolean {
  return isAsSent !== undefined || list !== undefined;
}

/** Passes the field's rules the value as sent, or what `read` returns for it, with any nesting. */
export const AsSent = (read: (sent: unknown) => unknown = (sent) => sent) =>
  applyDecorators(
    Allow({ context: { isAsSent: true } satisfies Marks }),
    Transform(({ value }: { value: (() => unknown) | undefined }) => value && read(value()), {
      toClassOnly: true,
    }),
  );

/** A value whose invalid parts are separate errors. */
export function HasParts(check: Check): PropertyDecorator {
  const problemsOf = (value: unknown, dto: object) => {
    const problems = new Map<string, string>();
    check(
      value,
      (place, problem) => {
        if (!problems.has(place)) problems.set(place, problem);
        return undefined;
      },
      dto,
    );
    return problems;
  };
  const validate = (value: unknown, about?: { object: object }) =>
    problemsOf(value, about!.object).size === 0;
  return applyDecorators(
    AsSent(),
    ValidateBy(
      { name: HAS_PARTS, validator: { validate, defaultMessage: () => 'has wrong parts' } },
      { context: { problemsOf } satisfies Marks },
    ),
  );
}

/** One or more objects, each validated by a DTO. */
export const IsListOf = (dto: () => Type<object>, most: number) =>
  applyDecorators(
    TypeOf(dto),
    ArrayMaxSize(most, { message: `must be a list of at most ${most}` }),
    ArrayNotEmpty({ message: 'must not be empty' }),
    ValidateNested({ each: true, context: { list: { dto, most } } satisfies Marks }),
  );
