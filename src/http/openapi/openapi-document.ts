import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { BUDGET_HEADERS } from './openapi-problems';
import { nameTitled } from './components';
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
}

interface Operation {
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { headers?: Node }>;
}

const PAGING = ['sort', 'per_page', 'page'];
const SCHEMAS = '#/components/schemas/';

/** Turns the document that Nest generates into OpenAPI 3.1 with the names, order and examples that clients need. */
export function finishDocument(generated: OpenAPIObject): OpenAPIObject {
  const document = finishNode(structuredClone(generated) as unknown as Node) as unknown as OpenAPIObject;
  const named = Object.entries(document.components!.schemas!).filter(([name]) => name !== NoFields.name);
  const schemas = Object.fromEntries(named.map(([name, schema]) => [publicName(name), schema]));
  for (const [name, schema] of Object.entries(schemas as Schemas)) finishDefaults(name, schema);
  nameTitled({ ...schemas }, schemas as Schemas);
  document.components!.schemas = schemas;
  for (const operations of Object.values(document.paths))
    for (const operation of Object.values(operations as unknown as Record<string, Operation>))
      finishOperation(operation);
  document.info.contact = { name: 'The operator of this service' };
  return document;
}

interface Schema extends Node {
  required?: string[];
  properties?: Record<string, Node>;
}

type Schemas = Record<string, Schema>;

/** A default is that of a field that may be absent from something new. */
function finishDefaults(name: string, { properties = {}, required = [] }: Schema): void {
  for (const [field, schema] of Object.entries(properties))
    if (name.startsWith('Update') || required.includes(field)) delete schema.default;
}

function finishOperation(operation: Operation): void {
  operation.security ??= [];
  if (bodyOf(operation) === publicName(NoFields.name)) delete operation.requestBody;
  operation.parameters?.sort((a, b) => rankOf(a) - rankOf(b));
  if ('429' in operation.responses)
    for (const response of Object.values(operation.responses))
      response.headers = { ...response.headers, ...BUDGET_HEADERS };
}

/** The name of the body's schema. */
function bodyOf({ requestBody }: Operation): string | undefined {
  return Object.values(requestBody?.content ?? {})[0]?.schema?.$ref?.slice(SCHEMAS.length);
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
  if (Array.isArray(node.anyOf)) finishUnion(node, (node.anyOf as Node[]).flatMap(branchesIn));
  return node;
}

/** The branches have types. Another one beside them, as Nest has it of parameters, would make names any text. */
function finishUnion(node: Node, branches: Node[]): void {
  node.anyOf = branches;
  if (branches.every(({ type }) => type !== undefined)) delete node.type;
}

/** Nest puts a union that may be null into another union. */
function branchesIn(branch: Node): Node[] {
  const isOnlyUnion = Array.isArray(branch.anyOf) && Object.keys(branch).length === 1;
  return isOnlyUnion ? (branch.anyOf as Node[]) : [branch];
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
