import type { INestApplication, Type } from '@nestjs/common';
import { publicName } from '../http/openapi-document';
import { schemasOf } from '../http/schemas';
import type { UseCase } from '../messages/use-cases';
import { NoFields } from '../validation/fields';
import type { ListedTool } from './server';
import { TOOLS } from './tools';

interface ObjectSchema {
  properties?: Record<string, unknown>;
  required?: string[];
}

const WEBSITE_ID = { type: 'integer', minimum: 1, description: 'The id of a website.' };

/** The tools as agents are told of them, with the same rules of fields that openapi.json has. */
export function listTools(app: INestApplication): ListedTool[] {
  const tools = Object.entries(TOOLS);
  const schemas = schemasOf(
    app,
    tools.map(([, { useCase }]) => useCase.fields as Type),
  ) as Record<string, ObjectSchema>;
  return tools.map(([name, { title, description, useCase }]) => ({
    name,
    title,
    description,
    inputSchema: inputOf(useCase, schemas),
    annotations: { readOnlyHint: true, openWorldHint: false },
  }));
}

function inputOf({ id, fields }: UseCase, schemas: Record<string, ObjectSchema>): ListedTool['inputSchema'] {
  const { name } = fields as Type;
  const { properties = {}, required = [] } = name === NoFields.name ? {} : schemas[publicName(name)]!;
  return {
    type: 'object',
    properties: { ...(id && { [id]: WEBSITE_ID }), ...properties },
    required: [...(id ? [id] : []), ...required],
    additionalProperties: false,
  };
}
