import type { INestApplication, Type } from '@nestjs/common';
import { RANGE_NAMES } from '../../engine/questions/parse/query-range';
import { QUESTION_LIMITS } from '../../engine/questions/question-limits';
import { publicName, schemasOf } from '../http/openapi/openapi-document';
import type { UseCase } from '../messages/use-cases';
import { NoFields } from '../validation/fields';
import type { ListedTool } from './server';
import { type Output, TOOLS } from './tools';

type Schemas = Record<string, unknown>;
type Fields = Record<string, unknown>;

interface ObjectSchema {
  properties?: Record<string, unknown>;
  required?: string[];
}

const WEBSITE_ID = { type: ['integer', 'string'] };
const RESOURCE_ID = { type: 'integer' };
const { least: LEAST, most: MOST } = QUESTION_LIMITS.stepsOfFunnel;

/** Clients refuse lists without a type of their items. */
const FILTERS = { type: 'array', items: {} };

/** What agents read instead of the words of openapi.json, because each byte is in the way of their work. */
const IN_SHORT: Record<string, unknown> = {
  favorite: { type: 'boolean' },
  favorites_first: { type: 'boolean' },
  fill: { type: 'boolean' },
  filter: {
    type: 'string',
    description:
      'Counts some hits: country==DE;device==mobile,os==iOS. ";" is and, "," is or, binds closer. == != =@ (contains) !@ =^ (begins) =$ (ends). Percent-encode ; , % in values.',
  },
  range: {
    type: ['string', 'array'],
    items: {},
    description: `${RANGE_NAMES.join(', ')}, or ["2026-01-01", "2026-01-31"], inclusive.`,
  },
  names: { type: 'string', description: 'page,visitor' },
  order_by: { type: 'array', items: {}, description: '[["visitors", "desc"]]' },
  queries: {
    type: 'array',
    items: {},
    description: `Up to ${QUESTION_LIMITS.queries} queries, with the other fields of this tool.`,
  },
  within: { enum: ['visit', 'day'] },
};
/** Where the list of all tools has no room to explain it again. */
const RANGE_AS_ELSEWHERE = { ...(IN_SHORT.range as Fields), description: 'As of query_statistics.' };
const IN_SHORT_FOR: Partial<Record<string, Record<string, unknown>>> = {
  list_values: { name: { type: 'string', description: 'One of list_names.' } },
  query_statistics: {
    filters: {
      ...FILTERS,
      description:
        '[OP, NAME, [VALUES]], joined by and: ["is", "country", ["DE", null]]. OP: is, is_not, contains, contains_not, starts, ends. Also ["and" | "or", [F, …]], ["not", F], ["has_done" | "has_not_done", F], ["is", "goal", ["Signup"]], ["saved", "Mobile"].',
    },
  },
  compare_ranges: { range: RANGE_AS_ELSEWHERE },
  list_annotations: { range: RANGE_AS_ELSEWHERE },
  query_funnel: {
    range: RANGE_AS_ELSEWHERE,
    breakdown: { type: 'string', description: 'One of list_names: its ten largest values.' },
    filters: { ...FILTERS, description: 'As of query_statistics.' },
    steps: { type: 'array', items: {}, description: `${LEAST} to ${MOST} of {"name", "filters"}.` },
  },
  query_journey: {
    range: RANGE_AS_ELSEWHERE,
    filters: { ...FILTERS, description: 'As of query_statistics.' },
    from: { type: ['string', 'object'], description: 'entry, {"page": "/pricing"} or {"event": "signup"}.' },
  },
};
/** It has one value. */
const LEFT_OUT = 'search_by';
/** Their names say all. */
const CLEAR = [
  'sort',
  'sort_by',
  'page',
  'per_page',
  'search',
  'from',
  'to',
  'compare',
  'state',
  'webhook_id',
];
const TOLD = ['type', 'enum', 'anyOf', 'items', 'properties', 'required'];

/** The tools for agents, with the field rules of openapi.json. */
export function listTools(app: INestApplication): ListedTool[] {
  const tools = Object.entries(TOOLS);
  const schemas = schemasOf(
    app,
    tools.flatMap(([, { useCase, output }]) => [useCase.fields, ...Object.values(output).flatMap(classesIn)]),
  );
  return tools.map(([name, { title, description, useCase, output }]) => ({
    name,
    title,
    description,
    inputSchema: inputOf(name, useCase, schemas),
    outputSchema: outputOf(output, schemas),
    annotations: { readOnlyHint: true, openWorldHint: false },
  }));
}

function inputOf(
  tool: string,
  { id, resource, fields }: UseCase,
  schemas: Schemas,
): ListedTool['inputSchema'] {
  const { properties = {}, required = [] } = schemaOf(fields.name, schemas);
  const shorts = { ...IN_SHORT, ...IN_SHORT_FOR[tool] };
  const briefly = Object.entries(properties)
    .filter(([name]) => name !== LEFT_OUT)
    .map(([name, schema]) => [name, shorts[name] ?? inBrief(name, schema as Fields)] as const);
  return {
    type: 'object',
    properties: {
      ...(id && { [id]: WEBSITE_ID }),
      ...(resource && { id: RESOURCE_ID }),
      ...Object.fromEntries(briefly),
    },
    required: [...(id ? [id] : []), ...(resource ? ['id'] : []), ...required],
    additionalProperties: false,
  };
}

function inBrief(name: string, schema: Fields): Fields {
  const told = CLEAR.includes(name) ? TOLD : [...TOLD, 'description'];
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => told.includes(keyword)));
}

/** Nothing is required, because a problem may be there instead. */
function outputOf(output: Output, schemas: Schemas): ListedTool['outputSchema'] {
  const members = Object.entries(output).map(([name, member]) => [name, memberOf(member, schemas)] as const);
  return { type: 'object', properties: Object.fromEntries(members) };
}

function memberOf(member: Output[string], schemas: Schemas): unknown {
  if (Array.isArray(member)) return { type: 'array', items: typesIn(schemaOf(member[0].name, schemas)) };
  return typeof member === 'function' ? typesIn(schemaOf(member.name, schemas)) : member;
}

function classesIn(member: Output[string]): Type[] {
  return [member].flat().filter((each) => typeof each === 'function');
}

/** The types of the properties, without their rules and words. */
function typesIn({ properties = {} }: ObjectSchema): Fields {
  const typed = Object.entries(properties).map(([name, schema]) => {
    const { type } = schema as { type?: unknown };
    return [name, type ? { type } : {}] as const;
  });
  return { type: 'object', properties: Object.fromEntries(typed) };
}

function schemaOf(name: string, schemas: Schemas): ObjectSchema {
  return name === NoFields.name ? {} : (whole(schemas[publicName(name)], schemas) as ObjectSchema);
}

/** Replaces references by their schemas, because the schema of a tool must be complete. */
function whole(schema: unknown, schemas: Schemas): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => whole(one, schemas));
  if ('$ref' in schema) return whole(schemas[String(schema.$ref).split('/').at(-1)!], schemas);
  return Object.fromEntries(Object.entries(schema).map(([name, inside]) => [name, whole(inside, schemas)]));
}
