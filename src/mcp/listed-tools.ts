import type { INestApplication } from '@nestjs/common';
import { publicName, schemasOf } from '../http/openapi/openapi-document';
import type { UseCase } from '../messages/use-cases';
import { NoFields } from '../validation/fields';
import type { ListedTool } from './server';
import { TOOLS } from './tools';

type Schemas = Record<string, unknown>;

interface ObjectSchema {
  properties?: Record<string, unknown>;
  required?: string[];
}

const WEBSITE_ID = {
  anyOf: [{ type: 'integer', minimum: 1 }, { type: 'string' }],
  description: 'The id or the domain of a website.',
};

const RESOURCE_ID = { type: 'integer', minimum: 1 };

/** The tools for agents, with the field rules of openapi.json. */
export function listTools(app: INestApplication): ListedTool[] {
  const tools = Object.entries(TOOLS);
  const schemas = schemasOf(
    app,
    tools.map(([, { useCase }]) => useCase.fields),
  );
  return tools.map(([name, { title, description, useCase }]) => ({
    name,
    title,
    description,
    inputSchema: inputOf(useCase, schemas),
    annotations: { readOnlyHint: true, openWorldHint: false },
  }));
}

function inputOf({ id, resource, fields }: UseCase, schemas: Schemas): ListedTool['inputSchema'] {
  const { properties = {}, required = [] } = schemaOf(fields.name, schemas);
  return {
    type: 'object',
    properties: { ...(id && { [id]: WEBSITE_ID }), ...(resource && { id: RESOURCE_ID }), ...properties },
    required: [...(id ? [id] : []), ...(resource ? ['id'] : []), ...required],
    additionalProperties: false,
  };
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
