import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type Arbitrary,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  json,
  jsonValue,
  oneof,
  record as recordOf,
  string,
  tuple,
  uint8Array,
} from 'fast-check';
import { record, website } from '../../support/sending';
import { size } from '../../support/sizes';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { nameOf, SHARED, Things } from '../../support/things';
import { type Operation, OPERATIONS, propertiesOf, rightFor, wrongFor } from '../../support/varied-requests';

const REQUESTS = size('FUZZ_REQUESTS', 1500, 100_000);
const MIB = 1024 ** 2;
const FORM = 'application/x-www-form-urlencoded';

let service: TestApp;
beforeAll(async () => void (service = await startApp({ METRICS_TOKEN: FIRST_KEY })));
afterAll(() => service.stop());

const HOSTILE = [
  '',
  ' ',
  '\0',
  '\u202e\ud83d',
  '%00%',
  "' OR 1=1 --",
  '../../etc/passwd',
  '<script>',
  '=cmd()',
  '9'.repeat(400),
  'x'.repeat(2000),
  '-0',
  'NaN',
  '1e400',
  '-9223372036854775809',
  '2026-02-30',
  '9999-12-31',
  '0000-00-00',
  '[',
  '[[[]]]',
  '{"__proto__": {"length": 1}}',
];
const OTHERS = [
  null,
  true,
  -1,
  0,
  0.1,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  {},
  [[[[]]]],
  { __proto__: null, length: 3 },
];
const deep = '['.repeat(3000);

const text = oneof(
  constantFrom(...HOSTILE),
  string({ maxLength: 40 }),
  string({ unit: 'binary', maxLength: 40 }),
);
const anything: Arbitrary<unknown> = oneof(
  text,
  constantFrom<unknown>(...OTHERS),
  jsonValue({ maxDepth: 4 }),
);

/** Values for a field: those that its schema allows, those that it does not, and hostile ones. */
function valueOf(schema: Parameters<typeof rightFor>[0]): Arbitrary<unknown> {
  const right = rightFor(schema);
  return oneof(
    { weight: 20, arbitrary: right.length > 0 ? constantFrom(...right) : constant('a') },
    { weight: 1, arbitrary: constantFrom(...wrongFor(schema)) },
    { weight: 2, arbitrary: anything },
  );
}

/** Some of the fields of an object, and seldom one that it does not have. */
function fieldsOf(
  schemas: Record<string, Parameters<typeof rightFor>[0]>,
): Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, valueOf(schema)]));
  const others = oneof({ weight: 20, arbitrary: constant({}) }, recordOf({ other: anything }));
  return tuple(recordOf(values, { requiredKeys: [] }), others).map(([own, other]) => ({ ...own, ...other }));
}

interface Sent {
  /** The name of the operation, which a failure shows. */
  name: string;
  path: Record<string, string | undefined>;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | undefined;
  type: string | undefined;
}

function bodyOf(operation: Operation): Arbitrary<Pick<Sent, 'body' | 'type'>> {
  const contents = Object.entries(operation.bodies);
  if (contents.length === 0 || operation.method === 'GET')
    return constant({ body: undefined, type: undefined });
  const proper = constantFrom(...contents).chain(([type, content]) =>
    fieldsOf(propertiesOf(content.schema.contentSchema ?? content.schema)).chain((fields) =>
      (operation.method === 'POST'
        ? constantFrom({}, things.requests.exampleOf(content, 'POST'))
        : constant({})
      ).map((example) => ({ type, body: written({ ...example, ...fields }, type) })),
    ),
  );
  const raw = oneof(
    json(),
    text,
    constant(deep),
    uint8Array({ maxLength: 40 }).map((bytes) => Uint8Array.from(bytes)),
  );
  const types = constantFrom(
    ...contents.map(([type]) => type),
    'text/plain',
    'application/json; charset=utf-16',
    'a',
  );
  return oneof(
    { weight: 15, arbitrary: proper },
    { weight: 1, arbitrary: tuple(raw, types).map(([body, type]) => ({ body, type })) },
  );
}

function written(fields: Record<string, unknown>, type: string): string {
  return type === FORM ? query(fields) : JSON.stringify(fields);
}

function query(values: Record<string, unknown>): string {
  const texts = Object.entries(values).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value),
  ]);
  return new URLSearchParams(texts).toString();
}

const HEADERS = recordOf(
  {
    Accept: constantFrom(
      '*/*',
      'text/csv',
      'application/x-ndjson',
      'image/png',
      'text/csv;q=2, */*;q=x',
      ',',
    ),
    'Accept-Language': constantFrom('de', 'xx-YY, de;q=9', '*', ';;;'),
    'If-Match': constantFrom('*', '"a"', 'W/"1"', '"', ''),
    'If-None-Match': constantFrom('*', '"a"', ''),
    'Idempotency-Key': constantFrom('a', 'x'.repeat(300), ' ', 'ä'),
    Origin: constantFrom('https://example.com', 'null', 'x'),
    'X-Forwarded-For': constantFrom('1.1.1.1', '::1, x', ','),
    traceparent: constantFrom('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'x'),
  },
  { requiredKeys: [] },
);

const WRONG_KEYS = constantFrom('Bearer wrong', 'Basic YTpi', 'Bearer').map((Authorization) => ({
  Authorization,
}));

const request: Arbitrary<Sent> = constantFrom(...OPERATIONS).chain((operation) => {
  const schemasOf = (place: string) =>
    Object.fromEntries(
      operation.parameters.filter((one) => one.in === place).map(({ name, schema }) => [name, schema]),
    );
  const names = Object.keys(schemasOf('path'));
  const known = { weight: 20, arbitrary: constant(undefined) };
  const inPath = recordOf(
    Object.fromEntries(names.map((name) => [name, oneof(known, constantFrom(...HOSTILE.slice(1)))])),
  );
  return recordOf({
    name: constant(nameOf(operation)),
    path: inPath,
    query: fieldsOf(schemasOf('query')),
    headers: tuple(
      oneof({ weight: 3, arbitrary: constant({}) }, HEADERS),
      oneof({ weight: 20, arbitrary: constant({}) }, WRONG_KEYS),
    ).map(([some, key]) => ({ ...some, ...key })),
    sent: bodyOf(operation),
  }).map(({ sent, ...others }) => ({ ...others, ...sent }));
});

let things: Things;

async function send({ name, path, query: values, headers, body, type }: Sent): Promise<void> {
  const operation = OPERATIONS.find((one) => nameOf(one) === name)!;
  const named = operation.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent((path[parameter] ?? things.named(operation, parameter)).toWellFormed()),
  );
  const search = query(values);
  const answer = await service.api.send(operation.method, search ? `${named}?${search}` : named, {
    headers,
    ...(body !== undefined && { body }),
    ...(type !== undefined && { type }),
  });
  // A busy machine may be told to come back.
  if (answer.status >= 500 && !(answer.status === 503 && answer.headers.has('Retry-After')))
    throw new Error(`${name} ${answer.status}: ${answer.text}`);
  await things.restore(operation, answer);
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

it('hostile requests get an answer that the document has, and leave nothing in memory', async () => {
  const site = await website(service.api, { domain: 'example.com' });
  await website(service.api, { domain: SHARED, privacy: 0, share_filters: 1 });
  await record(service.api, site, [{}, { url: 'https://example.com/pricing', event: { name: 'signup' } }]);
  things = new Things(service.api);
  await things.makeAll();
  // Other requests each time where there are many, the same where all tests run.
  const sendHalf = (seed: number) =>
    assert(asyncProperty(request, send), {
      numRuns: Math.ceil(REQUESTS / 2),
      endOnFailure: true,
      ...(REQUESTS < 10_000 && { seed }),
    });
  await sendHalf(1);
  const before = heapBytes();
  await sendHalf(2);
  expect((heapBytes() - before) / MIB).toBeLessThan(32);
});
