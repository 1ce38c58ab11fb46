import type { INestApplication, Type } from '@nestjs/common';
import { version } from '../../package.json';
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

/** Where messages may be sent: each transport that RPC_URL may list. */
const SERVERS = {
  tcp: {
    host: '127.0.0.1:4000',
    protocol: 'tcp',
    description:
      'The process itself, with RPC_URL=tcp://127.0.0.1:4000. A frame is the length of the JSON in characters, `#`, and the JSON of a RequestPacket; that of the answer is a ReplyPacket.',
  },
  nats: {
    host: 'broker:4222',
    protocol: 'nats',
    description:
      'With RPC_URL=nats://broker:4222. The subject is the address of the channel; the payload is a RequestPacket, or only its `data`. The answer comes to the reply subject, as a ReplyPacket.',
  },
  redis: {
    host: 'broker:6379',
    protocol: 'redis',
    description:
      'With RPC_URL=redis://broker:6379. A RequestPacket is published to the address of the channel, and the ReplyPacket to the same with `.reply` behind it.',
  },
  rabbitmq: {
    host: 'broker:5672',
    protocol: 'amqp',
    description:
      'With RPC_URL=amqp://broker:5672. A RequestPacket goes to the queue `milepost`, with `replyTo` and `correlationId`; the ReplyPacket goes to that queue.',
  },
};

const PACKETS = {
  RequestPacket: {
    type: 'object',
    required: ['pattern', 'data'],
    properties: {
      id: { type: 'string', description: 'Chosen by the sender. A message without one gets no answer.' },
      pattern: { type: 'string', description: 'The address of the channel.', example: 'websites.list' },
      data: { type: 'object', description: 'The payload of the message.' },
    },
    description: 'What is sent, around the payload of a message.',
  },
  ReplyPacket: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The id of the request.' },
      response: { type: 'object', description: 'The payload of the answer.' },
      err: schemaOf({ name: 'MessageProblem' }),
      isDisposed: { type: 'boolean', description: 'Always true: nothing more comes.' },
    },
    description: 'What is answered: `response`, or `err` with a problem.',
  },
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
        'Messages of internal callers. A request is one flat object: the API key in the field `key`, the id of a website, and the fields of the HTTP call. The payloads here travel in packets (RequestPacket, ReplyPacket).',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: SERVERS,
    channels: Object.fromEntries(patterns.flatMap(([pattern]) => channelsOf(pattern))),
    operations: Object.fromEntries(
      patterns.map(([pattern, useCase]) => [pattern, operationOf(pattern, useCase)]),
    ),
    components: {
      messages: Object.fromEntries(patterns.flatMap(([pattern, useCase]) => messagesOf(pattern, useCase))),
      schemas: {
        ...schemasIn(app),
        ...Object.fromEntries(patterns.flatMap((named) => Object.entries(payloadsOf(named)))),
        ...PACKETS,
      },
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
    [pattern, { summary: useCase.summary, payload: schemaOf({ name: `${titleOf(pattern)}Request` }) }],
    [`${pattern}.reply`, { summary: 'The answer.', payload: schemaOf({ name: `${titleOf(pattern)}Reply` }) }],
    [`${pattern}.problem`, { summary: 'What is wrong.', payload: schemaOf({ name: 'MessageProblem' }) }],
  ];
}

function titleOf(name: string): string {
  return name.replaceAll(/(?:^|[._ ])(\w)/g, (_, first: string) => first.toUpperCase());
}

/** The named schemas of a message and its answer. */
function payloadsOf([pattern, useCase]: [string, UseCase]): Record<string, Schema> {
  const parts = fieldsBesides(useCase);
  const refs = Object.keys(parts).map((name) => schemaOf({ name }));
  if (useCase.fields !== NoFields) refs.push(schemaOf(useCase.fields));
  return {
    ...parts,
    [`${titleOf(pattern)}Request`]: refs.length === 1 ? refs[0]! : { allOf: refs },
    [`${titleOf(pattern)}Reply`]: answerOf(useCase),
    MessageProblem: problemSchema(),
  };
}

/** The schemas of the fields that say who asks about what. */
function fieldsBesides({ id, resource }: UseCase): Record<string, Schema> {
  return {
    WithKey: withField('key', KEY),
    ...(id && { [`With${titleOf(id)}`]: withField(id, idOfA('website')) }),
    ...(resource && { [`With${titleOf(resource)}Id`]: withField('id', idOfA(resource.toLowerCase())) }),
  };
}

function withField(name: string, schema: Schema): Schema {
  return { type: 'object', required: [name], properties: { [name]: schema } };
}

function idOfA(thing: string): Schema {
  const description = `The id of the ${thing}, as a number or digits.`;
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

function schemaOf({ name }: { name: string }): Schema {
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
