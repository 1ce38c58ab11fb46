import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import * as classTransformer from 'class-transformer';
import * as classValidator from 'class-validator';
import { type FieldErrors, InvalidFields } from '../../engine/ground/errors';
import { UnsupportedBody } from '../common/problems';
import { type Fields, formFields, isForm, SENT_TWICE } from './fields';
import { HAS_PARTS, hasParts, type Marks } from './marks';

const MAX_NAMED = 20;
const MAX_NAME_LENGTH = 100;
const MAX_VALUES = 10_000;
const MAX_DEPTH = 8;

/**
 * Nest's ValidationPipe for bodies and queries. It also rejects by name the fields that a DTO does not list, and values
 * that class-transformer must not see: it follows nested values to any depth and silently skips names like `__proto__`
 * and `toString`.
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
      validationError: { target: true, value: true },
      exceptionFactory: (errors) => new InvalidFields(messagesOf(errors)),
      validatorPackage: classValidator,
      transformerPackage: classTransformer,
    });
  }

  override async transform(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, metatype } = metadata;
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object) return sent;
    const errors = Object.create(null) as FieldErrors;
    const fields = inspect(sent ?? {}, metatype, errors);
    const checked = await this.check(fields, metadata, errors);
    if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
    return checked;
  }

  /** Adds the errors of the DTO's rules to `errors`. */
  private async check(fields: Fields, metadata: ArgumentMetadata, errors: FieldErrors): Promise<unknown> {
    const dto = metadata.metatype as Type<object>;
    if (fieldsOf(dto).size === 0) return new dto();
    try {
      return await super.transform(fields, metadata);
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      for (const [name, problems] of Object.entries(error.errors ?? {})) errors[name] ??= problems;
      return undefined;
    }
  }
}

const pipe = new FieldsPipe();

/** Validates fields by a DTO outside of a controller. */
export function fieldsAs<T extends object>(dto: Type<T>, sent: object): Promise<T> {
  return pipe.transform(sent, { type: 'body', metatype: dto }) as Promise<T>;
}

/** The fields with rules, and their marks. */
function fieldsOf(dto: Type<unknown>): Map<string, Marks> {
  const fields = new Map<string, Marks>();
  const rules = classValidator.getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  for (const { propertyName, context } of rules)
    fields.set(propertyName, { ...fields.get(propertyName), ...(context as Marks | undefined) });
  return fields;
}

function inspect(sent: unknown, dto: Type<unknown>, errors: FieldErrors, place = ''): Fields {
  if (!isObject(sent)) throw new InvalidFields({ body: ['must be an object of fields'] });
  const known = fieldsOf(dto);
  if (isForm(sent) && [...known.values()].some(hasParts)) throw new UnsupportedBody('application/json');
  const fields = isForm(sent) ? formFields() : (Object.create(null) as Fields);
  let unknown = 0;
  for (const [name, value] of Object.entries(sent)) {
    const marks = known.get(name);
    const problem = marks ? problemOf(value, marks) : unknownName(known);
    if (problem === undefined) fields[name] = inspected(value, marks!, errors, `${place}${name}.`);
    else if (marks || ++unknown <= MAX_NAMED)
      errors[place + name.slice(0, MAX_NAME_LENGTH).toWellFormed()] = [problem];
  }
  return fields;
}

/** A value for class-transformer: parts that it must not follow are hidden in functions. */
function inspected(sent: unknown, { list, isAsSent }: Marks, errors: FieldErrors, place: string): unknown {
  if (!list) return isAsSent ? () => sent : sent;
  if (!Array.isArray(sent) || sent.length > list.most) return () => sent;
  return sent.map((one, index) => {
    if (isObject(one)) return inspect(one, list.dto(), errors, `${place}${index}.`);
    errors[place + index] = ['must be an object of fields'];
    return {};
  });
}

function isObject(sent: unknown): sent is object {
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent);
}

function unknownName(known: Map<string, Marks>): string {
  const allowed = known.size === 0 ? 'no fields are accepted' : `allowed: ${[...known.keys()].join(', ')}`;
  return `is not a known field (${allowed})`;
}

/** Checks the shape of a value before anything traverses it. */
function problemOf(sent: unknown, marks: Marks): string | undefined {
  if (sent === SENT_TWICE) return 'must be sent once';
  if (hasParts(marks)) return undefined;
  let level = [sent];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > MAX_DEPTH || values > MAX_VALUES) return 'must contain fewer values';
    if (level.some((value) => typeof value === 'string' && !value.isWellFormed()))
      return 'must be well-formed Unicode text';
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [],
    );
  }
  return undefined;
}

/** The messages by field, without the field's name, with which class-validator's own messages begin. */
function messagesOf(errors: classValidator.ValidationError[], parent = ''): FieldErrors {
  const messages = Object.create(null) as FieldErrors;
  for (const { property, constraints = {}, contexts = {}, children = [], value, target } of errors) {
    const name = parent + property;
    const { problemsOf } = (contexts[HAS_PARTS] ?? {}) as Marks;
    const own = Object.values(constraints).map((message) => withoutName(message, property));
    if (problemsOf)
      for (const [place, problem] of problemsOf(value, target!)) messages[name + place] = [problem];
    else if (own.length > 0) messages[name] = own;
    Object.assign(messages, messagesOf(children, `${name}.`));
  }
  return messages;
}

function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
