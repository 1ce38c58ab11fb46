import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { exampleOf, fileExample } from './examples';

type Node = Record<string, unknown>;

interface Response {
  description: string;
  headers?: Record<string, Node>;
  content?: Record<string, { schema: Node; example?: unknown }>;
}

interface Operation {
  operationId: string;
  summary: string;
  parameters?: (Node & { name: string })[];
  requestBody?: { content: Record<string, { schema: Node }> };
  responses: Record<string, Response>;
}

interface Use {
  /** Where it is used, by the name of the operation. */
  operation: string;
  parent: Node;
  key: string;
}

const SCHEMAS = '#/components/schemas/';
/** Less than this is shorter without a reference. */
const MOST_INLINE = 80;

/**
 * Moves what several operations share, and schemas with a title, to the components, and adds examples to the answers.
 */
export function finishComponents(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components!.schemas as Record<string, Node>;
  const operations = [document.paths, document.webhooks ?? {}].flatMap((paths) =>
    Object.values(paths).flatMap((path) => Object.values(path) as Operation[]),
  );
  for (const { responses } of operations)
    for (const response of Object.values(responses)) describeSchema(response);
  nameTitled(operations, schemas);
  for (const operation of operations) describeBody(operation, schemas);
  for (const { responses } of operations)
    for (const [status, response] of Object.entries(responses))
      if (Number(status) < 300) addExamples(response, schemas);
  const components = document.components as Record<string, Node>;
  components.parameters = shared('parameters', operations.flatMap(parametersOf), ({ name }) =>
    pascal(String(name)),
  );
  components.headers = shared('headers', operations.flatMap(headersOf), (_, name) => name);
  components.responses = shared('responses', operations.flatMap(problemsOf), nameOfResponse);
  return document;
}

/** Moves schemas with a title from where they are used to the other schemas. The title is the name there. */
export function nameTitled(within: object, schemas: Record<string, Node>): void {
  for (const [key, value] of Object.entries(within)) {
    if (typeof value !== 'object' || value === null) continue;
    nameTitled(value as Node, schemas);
    const { title, ...schema } = value as Node;
    if (!['schema', 'items'].includes(key) || typeof title !== 'string') continue;
    const known = schemas[title];
    if (known && !isDeepStrictEqual({ ...known, description: '' }, { ...schema, description: '' }))
      throw new Error(`Two schemas have the name ${title}.`);
    schemas[title] ??= schema;
    (within as Node)[key] = { $ref: SCHEMAS + title };
  }
}

function describeSchema({ description, content = {} }: Response): void {
  for (const { schema } of Object.values(content)) if (schema.title) schema.description ??= description;
}

function describeBody({ summary, requestBody }: Operation, schemas: Record<string, Node>): void {
  for (const { schema } of Object.values(requestBody?.content ?? {})) {
    const body = schemas[String(schema.$ref).slice(SCHEMAS.length)];
    if (body) body.description ??= `The fields of: ${summary.replace(' (PUT)', '')}.`;
  }
}

function addExamples({ content = {} }: Response, schemas: Record<string, Node>): void {
  const json = content['application/json'];
  if (json) json.example ??= exampleOf(json.schema, schemas);
  const row = json ? rowOf(json.example) : lineOf(content, schemas);
  for (const [type, media] of Object.entries(content)) media.example ??= fileExample(type, row);
}

function rowOf(answer: unknown): unknown {
  const { data } = answer as { data?: unknown };
  return Array.isArray(data) ? data[0] : undefined;
}

/** A line of a file, whose schema stands beside NDJSON. */
function lineOf(content: NonNullable<Response['content']>, schemas: Record<string, Node>): unknown {
  const { contentSchema } = Object.values(content).at(-1)?.schema ?? {};
  return contentSchema && exampleOf(contentSchema as Node, schemas);
}

function parametersOf({ operationId, parameters = [] }: Operation): Use[] {
  return Object.keys(parameters).map((key) => ({
    operation: operationId,
    parent: parameters as unknown as Node,
    key,
  }));
}

function headersOf({ operationId, responses }: Operation): Use[] {
  return Object.values(responses).flatMap(({ headers }) =>
    Object.keys(headers ?? {}).map((key) => ({ operation: operationId, parent: headers as Node, key })),
  );
}

function problemsOf({ operationId, responses }: Operation): Use[] {
  return Object.keys(responses)
    .filter((status) => Number(status) >= 300)
    .map((key) => ({ operation: operationId, parent: responses, key }));
}

function nameOfResponse(response: Node, status: string): string {
  const { content = {} } = response as unknown as Response;
  const { code } = (content['application/problem+json']?.example ?? {}) as { code?: string };
  return pascal(code ?? (status === '304' ? 'not_modified' : `page_${status}`));
}

/**
 * Replaces what is used twice or more by a reference, and returns what is referred to by name. Where a name stands for
 * several, the one that most uses have keeps it; the names of the others begin with their first operation.
 */
function shared(kind: string, uses: Use[], nameOf: (used: Node, key: string) => string): Node {
  const byName = grouped(uses, ({ parent, key }) => nameOf(parent[key] as Node, key));
  const components: [string, unknown][] = [];
  for (const [name, named] of byName) {
    const variants = [...grouped(named, ({ parent, key }) => JSON.stringify(parent[key]))].filter(
      ([text, { length }]) => length > 1 && text.length > MOST_INLINE,
    );
    for (const [text, variant] of variants) {
      const isMain = 2 * variant.length > named.length;
      const own = isMain ? name : pascal(variant[0]!.operation) + name;
      components.push([own, JSON.parse(text)]);
      for (const { parent, key } of variant) parent[key] = { $ref: `#/components/${kind}/${own}` };
    }
  }
  return Object.fromEntries(components.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function grouped<T>(all: T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
