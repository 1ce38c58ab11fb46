import document from '../../openapi.json';

/** What values are made from. */
interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  type?: string | string[];
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxLength?: number;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
}
interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}
interface Content {
  /** A text may hold JSON. */
  schema: Schema & { contentSchema?: Schema };
  examples?: Record<string, { value: Fields | string }>;
}
type Fields = Record<string, unknown>;

export interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  bodies: Record<string, Content>;
}

export interface VariedRequest {
  operation: Operation;
  kind: 'valid' | (typeof KINDS)[number];
  /** Otherwise it may break the rules that the document has for requests. */
  isRight: boolean;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const KINDS = [
  'query',
  'body',
  'path',
  'wrong query',
  'type',
  'header',
  'wrong body',
  'accept',
  'key',
] as const;

export const OPERATIONS = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(
    operations as Record<
      string,
      { parameters?: Parameter[]; requestBody?: { content: Operation['bodies'] } }
    >,
  ).map(([method, { parameters, requestBody }]): Operation => ({
    method: method.toUpperCase(),
    path,
    parameters: (parameters ?? []).map(referred),
    bodies: requestBody?.content ?? {},
  })),
);

/** Makes requests by the document: a valid one of each operation, then ones that differ from it, the same in each run. */
export class VariedRequests {
  private made = 0;
  private state = 1;

  /** `inPath` knows the things that are there. */
  constructor(
    private readonly key: string,
    private readonly inPath: (operation: Operation, parameter: string) => string,
  ) {}

  next(): VariedRequest {
    const round = Math.floor(this.made / OPERATIONS.length);
    const index = this.made++ % OPERATIONS.length;
    return this.request(OPERATIONS[index]!, round === 0 ? 'valid' : KINDS[(round + index) % KINDS.length]!);
  }

  request(operation: Operation, kind: VariedRequest['kind']): VariedRequest {
    const values = this.valuesIn(operation, 'path', kind === 'path');
    const query = new URLSearchParams(
      this.valuesIn(operation, 'query', kind === 'wrong query', kind === 'query'),
    );
    if (kind === 'wrong query' && this.below(3) === 0) query.set('unknown', '1');
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(values[name]!),
    );
    const headers: Record<string, string> = { Authorization: `Bearer ${this.key}`, Accept: '*/*' };
    if (kind === 'header') Object.assign(headers, this.valuesIn(operation, 'header', false, true));
    if (kind === 'accept')
      headers.Accept = this.oneOf([
        JSON_TYPE,
        'text/csv',
        'application/x-ndjson',
        'text/csv;q=0.5, application/json',
        'image/png',
      ]);
    if (kind === 'key') headers.Authorization = this.oneOf(['Bearer wrong', 'Basic YTpi']);
    const isRight = !(kind === 'path' || kind === 'key' || kind.startsWith('wrong'));
    return {
      ...{ operation, kind, isRight, headers },
      path: query.size > 0 ? `${path}?${query}` : path,
      ...this.bodyOf(operation, kind, headers),
    };
  }

  private bodyOf(
    { method, bodies }: Operation,
    kind: VariedRequest['kind'],
    headers: VariedRequest['headers'],
  ) {
    const types = Object.keys(bodies);
    if (types.length === 0) return {};
    const type = kind === 'type' ? this.oneOf([...types, 'application/xml']) : this.oneOf(types);
    headers['Content-Type'] = type;
    const content = bodies[type] ?? bodies[types[0]!]!;
    const fields = this.exampleOf(content, method);
    const properties = Object.entries(propertiesOf(content.schema.contentSchema ?? content.schema));
    if (properties.length > 0 && (kind === 'body' || kind === 'wrong body')) {
      const [name, schema] = this.oneOf(properties);
      fields[name] = this.oneOf(kind === 'body' ? rightFor(schema) : wrongFor(schema));
    }
    return {
      body: type === FORM_TYPE ? new URLSearchParams(textsOf(fields)).toString() : JSON.stringify(fields),
      ...(kind === 'type' && !(type in bodies) && { isRight: false }),
    };
  }

  /** The fields that the document shows, under a name that is still free. */
  exampleOf({ schema, examples }: Content, method: string): Fields {
    const shown = Object.values(examples ?? elsewhere(schema) ?? {})[0]?.value;
    const example = shown ?? (rightFor(schema)[0] as Fields);
    const fields = typeof example === 'string' ? (JSON.parse(example) as Fields) : structuredClone(example);
    if (method === 'POST' && 'domain' in fields) fields.domain = `site${this.below(1e9)}.example`;
    if (method === 'POST' && 'name' in fields) fields.name = `${String(fields.name)} ${this.below(1e9)}`;
    return fields;
  }

  /** The required parameters of a place, and if asked for, some or one wrong of all. */
  private valuesIn(operation: Operation, place: Parameter['in'], isOneWrong: boolean, withOthers = false) {
    const parameters = operation.parameters.filter((parameter) => parameter.in === place);
    const values: Record<string, unknown> = {};
    for (const { name, required, schema } of parameters)
      if (place === 'path') values[name] = this.inPath(operation, name);
      else if (withOthers && (required || this.below(2) === 0)) values[name] = this.oneOf(rightFor(schema));
      else if (required) values[name] = rightFor(schema)[0];
    if (isOneWrong && parameters.length > 0) {
      const { name, schema } = this.oneOf(parameters);
      values[name] = this.oneOf(place === 'path' ? ['999999', '0', 'no-such'] : wrongFor(schema));
    }
    return textsOf(values);
  }

  private oneOf<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  private below(end: number): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state % end;
  }
}

/** The values of a form or of a query. */
export function textsOf(values: Fields): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function referred<T extends { $ref?: string }>(value: T): T {
  if (!value.$ref) return value;
  const [, ...parts] = value.$ref.split('/');
  return parts.reduce<unknown>((node, part) => (node as Fields)[part], document) as T;
}

/** Examples of the same schema in another operation. */
function elsewhere(schema: Schema): Content['examples'] {
  return OPERATIONS.flatMap(({ bodies }) => Object.values(bodies)).find(
    (content) => content.examples && content.schema.$ref === schema.$ref,
  )?.examples;
}

export function propertiesOf(schema: Schema): Record<string, Schema> {
  const { properties, anyOf } = referred(schema);
  return properties ?? (anyOf ? propertiesOf(anyOf[0]!) : {});
}

/** Values that a schema allows. */
export function rightFor(given: Schema): unknown[] {
  const schema = referred(given);
  const { anyOf, oneOf, allOf, example } = schema;
  const shown = example === undefined ? [] : [example];
  if (schema.enum) return schema.enum;
  const parts = anyOf ?? oneOf ?? allOf;
  if (parts) return [...shown, ...parts.flatMap(rightFor)];
  const values = [schema.type].flat().flatMap((type) => rightOfType(type, schema));
  return [...shown, ...values];
}

function rightOfType(type: string | undefined, schema: Schema): unknown[] {
  const { minimum = 1, maximum = minimum, format, pattern } = schema;
  if (type === 'boolean') return [true, false];
  if (type === 'null') return [null];
  if (type === 'string') return pattern || format ? [] : ['a', 'ä & 50 % "x"'];
  if (type === 'array') return listsFor(schema);
  if (type === 'object') return [requiredOf(schema)];
  return type ? [schema.default ?? minimum, maximum] : [];
}

function listsFor({ items = {}, minItems = 0 }: Schema): unknown[] {
  const lists = minItems > 1 ? [] : rightFor(items).map((item) => [item]);
  return minItems === 0 ? [[], ...lists] : lists;
}

function requiredOf({ properties = {}, required = [] }: Schema): Fields {
  return Object.fromEntries(required.map((name) => [name, rightFor(properties[name]!)[0]]));
}

/** Values that a schema does not allow, as far as it says. */
export function wrongFor(given: Schema): unknown[] {
  const { type, minimum, maxLength, format, pattern } = referred(given);
  const isNumber = type === 'integer' || type === 'number';
  return [
    'no such value',
    '',
    ...(isNumber ? [(minimum ?? 0) - 1, 0.5, 1e21] : [5, true]),
    ...(maxLength ? ['a'.repeat(maxLength + 1)] : []),
    ...(format || pattern ? ['2026-02-30'] : []),
    [[]],
    {},
  ];
}
