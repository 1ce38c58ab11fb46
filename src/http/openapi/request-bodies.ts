import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  $ref?: string;
  type?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  anyOf?: Schema[];
  example?: unknown;
  default?: unknown;
  description?: string;
  allOf?: Schema[];
  items?: Schema;
  contentMediaType?: string;
  contentSchema?: Schema;
}

interface Body {
  required?: boolean;
  content: Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }>;
}

const TEXT = 'text/plain';
const FORM = 'application/x-www-form-urlencoded';
const SCHEMAS = '#/components/schemas/';

/** Says of bodies what the service reads: when a body may be missing, no unknown fields, and in forms only texts. */
export function finishBodies(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components!.schemas as Record<string, Schema>;
  Object.values(schemas).forEach(finishDefaults);
  const resolved = (schema: Schema) => (schema.$ref ? schemas[schema.$ref.slice(SCHEMAS.length)]! : schema);
  for (const operations of Object.values(document.paths))
    for (const { requestBody } of Object.values(operations) as { requestBody?: Body }[]) {
      if (!requestBody) continue;
      const all = Object.values(requestBody.content);
      requestBody.required = needsFields(resolved(all[0]!.schema));
      close(all[0]!.schema, resolved);
      const { [FORM]: form, [TEXT]: text } = requestBody.content;
      if (form) form.schema = formOf(form.schema, schemas);
      if (form) changeExamples(form, fieldsInForm);
      if (text) text.schema = textOf(text.schema);
      if (text) changeExamples(text, JSON.stringify);
    }
  return document;
}

function changeExamples(content: Body['content'][string], change: (value: unknown) => unknown): void {
  const changed = Object.entries(content.examples ?? {}).map(
    ([name, example]) => [name, { ...example, value: change(example.value) }] as const,
  );
  content.examples = Object.fromEntries(changed);
}

const fieldsInForm = (value: unknown) =>
  Object.fromEntries(Object.entries(value as object).map(([field, sent]) => [field, inForm(sent)]));

/** Browsers send JSON as a text, which needs no preflight. */
function textOf(schema: Schema): Schema {
  return { type: 'string', contentMediaType: 'application/json', contentSchema: schema };
}

function needsFields({ required = [], anyOf = [] }: Schema): boolean {
  return required.length > 0 || anyOf.length > 0;
}

/** Fields that are not listed are refused. */
function close(sent: Schema, resolved: (schema: Schema) => Schema): void {
  const schema = resolved(sent);
  if (schema.additionalProperties === false) return;
  if (schema.properties) schema.additionalProperties ??= false;
  for (const inside of [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), schema.items])
    if (inside) close(inside, resolved);
}

/** The schema of the same fields in a form, which has neither `true` nor lists. */
function formOf(sent: Schema, schemas: Record<string, Schema>): Schema {
  const name = sent.$ref!.slice(SCHEMAS.length);
  const { properties = {}, ...schema } = schemas[name]!;
  const fields = Object.entries(properties).map(([field, { anyOf, ...others }]) => {
    const texts = anyOf?.filter(({ type }) => type !== 'boolean' && type !== 'array');
    const isSame = texts === undefined || texts.length === anyOf!.length;
    return [
      field,
      isSame ? properties[field]! : { ...others, ...single(texts), example: inForm(others.example) },
    ] as const;
  });
  if (fields.every(([field, inForm]) => inForm === properties[field])) return sent;
  schemas[`${name}Form`] = { ...schema, properties: Object.fromEntries(fields) };
  return { $ref: `${SCHEMAS}${name}Form` };
}

/** A list is a text with commas. */
function inForm(value: unknown): unknown {
  return Array.isArray(value) ? value.join(',') : value;
}

function single(branches: Schema[]): Schema {
  return branches.length === 1 ? branches[0]! : { anyOf: branches };
}

/** A default stands inside of the field's schema: openapi-typescript makes a field with a default required. */
function finishDefaults({ properties = {} }: Schema): void {
  for (const [field, { default: value, ...schema }] of Object.entries(properties))
    if (value !== undefined) properties[field] = withDefault(schema, value);
}

function withDefault({ description, example, ...schema }: Schema, value: unknown): Schema {
  const [first, ...others] = schema.anyOf ?? [schema];
  const branches = [{ ...first, default: value }, ...others];
  const words = { ...(description && { description }), ...(example !== undefined && { example }) };
  return { ...words, ...(schema.anyOf ? { ...schema, anyOf: branches } : { allOf: branches }) };
}
