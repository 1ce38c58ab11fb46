import type { INestApplication, Type } from '@nestjs/common';
import { version } from '../../package.json';
import type { Missing } from '../common/problems';
import { publicName, schemasOf } from '../http/openapi/openapi-document';
import { ProblemView } from '../http/openapi/openapi-problems';
import { QueryAnswerView } from '../stats/dto/query.view';
import { NoFields } from '../validation/fields';
import { USE_CASES, type UseCase } from './use-cases';

type Schema = Record<string, unknown>;

const KEY = {
  type: 'string',
  description: 'The API key.',
  example: 'mp_2fG9xxxxxxxxxxxxxxxxxxxxxxxxxxxx',
};
const WEBSITE_ID = {
  type: ['integer', 'string'],
  description: 'The id of a website, as a number or digits.',
  example: 1,
};

/**
 * The messages in AsyncAPI 3, from the same classes as openapi.json. The repository has the result as asyncapi.json.
 */
export function asyncApiDocument(app: INestApplication): object {
  const patterns = Object.entries(USE_CASES);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Milepost',
      version,
      description:
        'Messages of internal callers. A request is one flat object: the key, the id of a website, and the fields of the HTTP call.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(patterns.flatMap(([pattern]) => channelsOf(pattern))),
    operations: Object.fromEntries(
      patterns.map(([pattern, useCase]) => [pattern, operationOf(pattern, useCase)]),
    ),
    components: {
      messages: Object.fromEntries(patterns.flatMap(([pattern, useCase]) => messagesOf(pattern, useCase))),
      schemas: schemasIn(app),
    },
  };
}

function channelsOf(pattern: string): [string, object][] {
  const messages = (name: string) => ({ [name]: { $ref: `#/components/messages/${name}` } });
  const reply = `${pattern}.reply`;
  return [
    [pattern, { address: pattern, messages: messages(pattern) }],
    [reply, { address: null, messages: { ...messages(reply), ...messages(`${pattern}.problem`) } }],
  ];
}

function operationOf(pattern: string, { summary, scope }: UseCase): object {
  const refs = (...names: string[]) =>
    names.map((name) => ({ $ref: `#/channels/${pattern}.reply/messages/${name}` }));
  return {
    action: 'receive',
    channel: { $ref: `#/channels/${pattern}` },
    summary,
    description: `Needs a key of the scope ${scope === 'full' ? 'full' : `full or ${scope}`}.`,
    messages: [{ $ref: `#/channels/${pattern}/messages/${pattern}` }],
    reply: {
      channel: { $ref: `#/channels/${pattern}.reply` },
      messages: refs(`${pattern}.reply`, `${pattern}.problem`),
    },
  };
}

function messagesOf(pattern: string, useCase: UseCase): [string, object][] {
  return [
    [pattern, { summary: useCase.summary, payload: requestOf(useCase) }],
    [`${pattern}.reply`, { summary: 'The answer.', payload: answerOf(useCase) }],
    [`${pattern}.problem`, { summary: 'What is wrong.', payload: problemSchema() }],
  ];
}

function requestOf({ id, resource, fields }: UseCase): Schema {
  const own = {
    type: 'object',
    required: ['key', ...(id ? [id] : []), ...(resource ? ['id'] : [])],
    properties: { key: KEY, ...(id && { [id]: WEBSITE_ID }), ...(resource && { id: resourceId(resource) }) },
  };
  return fields === NoFields ? own : { allOf: [own, schemaOf(fields)] };
}

function resourceId(resource: Missing): Schema {
  const description = `The id of the ${resource.toLowerCase()}, as a number or digits.`;
  return { type: ['integer', 'string'], description, example: 1 };
}

function answerOf({ data, meta, isMetaOptional }: UseCase): Schema {
  if (data === 'answers') return { anyOf: [schemaOf(QueryAnswerView), listOf(QueryAnswerView)] };
  const answered = Array.isArray(data) ? { type: 'array', items: schemaOf(data[0]) } : schemaOf(data);
  return {
    type: 'object',
    required: ['data', ...(meta && !isMetaOptional ? ['meta'] : [])],
    properties: { data: answered, ...(meta && { meta: schemaOf(meta) }) },
  };
}

function listOf(view: Type): Schema {
  return {
    type: 'object',
    required: ['data'],
    properties: { data: { type: 'array', items: schemaOf(view) } },
  };
}

function problemSchema(): Schema {
  const after = { type: 'integer', description: 'After how many seconds to try again.' };
  return { allOf: [schemaOf(ProblemView), { type: 'object', properties: { retry_after: after } }] };
}

function viewOf(data: UseCase['data']): Type {
  if (data === 'answers') return QueryAnswerView;
  return Array.isArray(data) ? data[0] : data;
}

function schemaOf({ name }: Type): Schema {
  return { $ref: `#/components/schemas/${publicName(name)}` };
}

/** The schemas of messages, and the schemas that these use. */
function schemasIn(app: INestApplication): Record<string, unknown> {
  const used = Object.values(USE_CASES).flatMap(({ fields, data, meta }) => [
    fields,
    viewOf(data),
    ...(meta ? [meta] : []),
  ]);
  return schemasOf(app, [...used, ProblemView]);
}
