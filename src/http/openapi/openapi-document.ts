import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { NoFields } from '../../validation/fields';
import type { INestApplication, Type } from '@nestjs/common';

type Node = Record<string, unknown>;

interface Parameter extends Node {
  name: string;
  in: string;
  required?: boolean;
}

interface Content {
  schema?: { $ref?: string };
  example?: { code?: string; instance: string; errors?: Record<string, string[]> };
}

interface Operation {
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}

const PAGING = ['sort', 'per_page', 'page'];
const SCHEMAS = '#/components/schemas/';

/** Turns the document that Nest generates into OpenAPI 3.1 with the names, order and examples that clients need. */
export function finishDocument(generated: OpenAPIObject): OpenAPIObject {
  const document = finishNode(structuredClone(generated) as unknown as Node) as unknown as OpenAPIObject;
  const named = Object.entries(document.components!.schemas!).filter(([name]) => name !== NoFields.name);
  const schemas = Object.fromEntries(named.map(([name, schema]) => [publicName(name), schema]));
  document.components!.schemas = schemas;
  for (const [path, operations] of Object.entries(document.paths))
    for (const operation of Object.values(operations as unknown as Record<string, Operation>))
      finishOperation(path, operation, schemas as Schemas);
  document.info.contact = { name: 'The operator of this service' };
  return document;
}

type Schemas = Record<string, { required?: string[]; properties?: Record<string, unknown> }>;

function finishOperation(path: string, operation: Operation, schemas: Schemas): void {
  operation.security ??= [];
  if (bodyOf(operation) === publicName(NoFields.name)) delete operation.requestBody;
  operation.parameters?.sort((a, b) => rankOf(a) - rankOf(b));
  for (const { content } of Object.values(operation.responses)) {
    const example = content?.['application/problem+json']?.example;
    if (!example) continue;
    example.instance = path.replaceAll(/\{\w+\}/g, '1');
    if (example.code === 'invalid_fields') example.errors = errorsOf(operation, schemas);
  }
}

/** The name of the body's schema. */
function bodyOf({ requestBody }: Operation): string | undefined {
  return Object.values(requestBody?.content ?? {})[0]?.schema?.$ref?.slice(SCHEMAS.length);
}

/** An error of this operation. */
function errorsOf(operation: Operation, schemas: Schemas): Record<string, string[]> {
  const schema = schemas[bodyOf(operation) ?? ''];
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const required = schema?.required?.[0] ?? query.find((parameter) => parameter.required)?.name;
  if (required !== undefined) return { [required]: ['is required'] };
  if (schema) return { [Object.keys(schema.properties!)[0]!]: ['must not be empty'] };
  if (query.length > 0) return { per_page: ['must be one of 10, 25, 50, 100'] };
  return { verbose: ['is not a known field (no fields are accepted)'] };
}

/** Required parameters come first, the parameters of all lists last. */
function rankOf(parameter: Parameter): number {
  if (parameter.in === 'path') return 0;
  if (parameter.in === 'header') return 4;
  if (parameter.required) return 1;
  return PAGING.includes(parameter.name) ? 3 : 2;
}

/** The suffixes distinguish classes in the code, and mean nothing to a client. */
export function publicName(name: string): string {
  return name.replace(/(View|Dto)$/, '');
}

/** The types of a union, which Nest would take for a list. The explorer expects them where an answer has a union. */
export const TYPES = 'x-types';

function setTypes(node: Node, types: unknown): void {
  node.type = types;
  delete node[TYPES];
}

function finishNode(node: Node): Node {
  for (const [name, value] of Object.entries(node)) {
    if (name === '$ref') node.$ref = publicName(String(value));
    else if (name === TYPES) setTypes(node, value);
    else if (typeof value === 'object' && value !== null) node[name] = finishNode(value as Node);
  }
  return node;
}

/** The JSON Schemas of some classes and of the classes that these use, with their names in openapi.json. */
export function schemasOf(app: INestApplication, classes: Type[]): Record<string, unknown> {
  const document = finishDocument(
    SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.1.0').build(), {
      extraModels: classes,
    }),
  );
  const all = document.components!.schemas as Record<string, unknown>;
  const names = new Set(classes.map(({ name }) => publicName(name)));
  for (const name of names)
    for (const [, inside] of JSON.stringify(all[name] ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      names.add(inside!);
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
}
