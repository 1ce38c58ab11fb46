import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import * as classTransformer from 'class-transformer';
import * as classValidator from 'class-validator';
import { type FieldErrors, InvalidFields } from '../common/problem';
import { type Fields, formFields, isForm, SENT_TWICE } from './fields';

const MAX_NAMED = 20;
const MAX_NAME_LENGTH = 100;
const MAX_VALUES = 10_000;
const MAX_DEPTH = 8;

/**
 * Nest's ValidationPipe for bodies and queries. It refuses by name what a DTO does not list, and values that
 * class-transformer must not see: it follows nested values to any depth, and skips names such as `__proto__` and
 * `toString` silently.
 */
@Injectable()
export class FieldsPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      stopAtFirstError: true,
      exceptionFactory: (errors) => new InvalidFields(messagesOf(errors)),
      validatorPackage: classValidator,
      transformerPackage: classTransformer,
    });
  }

  override async transform(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, metatype } = metadata;
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object) return sent;
    const { fields, errors } = inspect(sent ?? {}, namesOf(metatype));
    const checked = await this.checked(fields, metadata, errors);
    if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
    return checked;
  }

  /** Adds to `errors` what the rules of the DTO say. */
  private async checked(fields: Fields, metadata: ArgumentMetadata, errors: FieldErrors): Promise<unknown> {
    const dto = metadata.metatype as Type<object>;
    if (namesOf(dto).size === 0) return new dto();
    try {
      return await super.transform(fields, metadata);
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      for (const [name, problems] of Object.entries(error.errors ?? {})) errors[name] ??= problems;
      return undefined;
    }
  }
}

/** The names that have a rule. */
function namesOf(dto: Type<unknown>): Set<string> {
  const rules = classValidator.getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

function inspect(sent: unknown, names: Set<string>): { fields: Fields; errors: FieldErrors } {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new InvalidFields({ body: ['must be an object of fields'] });
  const fields = isForm(sent) ? formFields() : (Object.create(null) as Fields);
  const errors = Object.create(null) as FieldErrors;
  let unknown = 0;
  for (const [name, value] of Object.entries(sent)) {
    const problem = names.has(name) ? problemOf(value) : unknownName(names);
    if (problem === undefined) fields[name] = value;
    else if (names.has(name) || ++unknown <= MAX_NAMED)
      errors[name.slice(0, MAX_NAME_LENGTH).toWellFormed()] = [problem];
  }
  return { fields, errors };
}

function unknownName(names: Set<string>): string {
  const allowed = names.size === 0 ? 'no fields are accepted' : `allowed: ${[...names].join(', ')}`;
  return `is not a known field (${allowed})`;
}

/** What no rule has to look at: the shape of a value, before anything follows it. */
function problemOf(sent: unknown): string | undefined {
  if (sent === SENT_TWICE) return 'must be sent once';
  let level = [sent];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > MAX_DEPTH || values > MAX_VALUES) return 'must not have so many values in it';
    if (level.some((value) => typeof value === 'string' && !value.isWellFormed()))
      return 'must be well-formed Unicode text';
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [],
    );
  }
  return undefined;
}

/** The messages by field; class-validator's own begin with the name of the field, which is left out. */
function messagesOf(errors: classValidator.ValidationError[], parent = ''): FieldErrors {
  const messages = Object.create(null) as FieldErrors;
  for (const { property, constraints = {}, children = [] } of errors) {
    const name = parent + property;
    const own = Object.values(constraints).map((message) => withoutName(message, property));
    if (own.length > 0) messages[name] = own;
    Object.assign(messages, messagesOf(children, `${name}.`));
  }
  return messages;
}

function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
