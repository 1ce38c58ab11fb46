import fc from 'fast-check';
import { InvalidFields, Malformed } from '../common/problem';
import { SENT_TWICE } from '../validation/fields';
import { parseJsonFields } from './body';
import { parseJsonBatch } from './json-batch';

const MIB = 1024 * 1024;
const parse = (text: string) => parseJsonBatch(Buffer.from(text));

async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return (error as Error).constructor;
  }
}

/** The least of some attempts: what else the machine does is not the parser's. */
async function leastLongestTurnMs(work: () => Promise<void>): Promise<number> {
  const attempts: number[] = [];
  for (let attempt = 0; attempt < 3; attempt++) attempts.push(await longestTurnMs(work));
  return Math.min(...attempts);
}

/** In time of the processor, so that other processes change little. */
async function longestTurnMs(work: () => Promise<void>): Promise<number> {
  const now = () => process.cpuUsage().user / 1000;
  let longest = 0;
  let last = now();
  const turn = () => {
    longest = Math.max(longest, now() - last);
    last = now();
  };
  const ticking = setInterval(turn);
  await work();
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(ticking);
  return longest;
}

it('parses as the other bodies are parsed', async () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '"a"',
    '"b":',
    '1',
    'null',
    ' ',
    '\t',
    'ä',
    '"events":[',
  ];
  const broken = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
  const batch = fc.record({ events: fc.array(fc.jsonValue()), more: fc.jsonValue() });
  const json = fc.oneof(
    fc.json(),
    batch.map((value) => JSON.stringify(value, null, 1)),
  );
  const text = fc.oneof(
    broken,
    broken.map((inside) => `{"events":[${inside}]}`),
    json,
  );
  await fc.assert(
    fc.asyncProperty(text, async (sent) => {
      expect(await outcomeOf(() => parse(sent))).toEqual(await outcomeOf(() => parseJsonFields(sent)));
    }),
    { numRuns: 3000 },
  );
});

it.each<[string, unknown]>([
  ['{"events":[{"a":1,"a":2},{"a":1e0}]}', { events: [{ a: SENT_TWICE }, { a: 1 }] }],
  ['{"events":[1],"events":[2]}', { events: SENT_TWICE }],
  ['\ufeff{ "events" : [ "]}" , "\\"," ] }', { events: [']}', '",'] }],
  ['{"events":[[[1,2],[3]]]}', { events: [[[1, 2], [3]]] }],
])('reads %s', async (text, fields) => {
  expect(await parse(text)).toEqual(fields);
});

it.each([
  '{"events":[1,]}',
  '{"events":[,1]}',
  '{"events":[1 2]}',
  '{"a":1 2}',
  '{"events":[\u00a0]}',
  '{"a":1\u0000}',
])('takes no broken JSON: %j', async (text) => {
  await expect(parse(text)).rejects.toThrow(Malformed);
});

it('takes no broken UTF-8', async () => {
  await expect(parseJsonBatch(Buffer.from('{"events":["\xff"]}', 'latin1'))).rejects.toThrow(Malformed);
});

const many = (piece: string, bytes: number) =>
  Array.from({ length: bytes / (piece.length + 1) }, () => piece).join();
const names = Array.from({ length: 500_000 }, (_, index) => `"name${index}":1`).join();
const event = JSON.stringify({
  url: `https://example.com/${'a'.repeat(8000)}`,
  event: { name: 'ä"\\'.repeat(1000) },
});

it.each<[string, string]>([
  ['numbers', `{"events":[${many('1', 8 * MIB)}]}`],
  ['objects', `{"events":[${many('{}', 8 * MIB)}]}`],
  ['brackets', `{"events":[${'['.repeat(4 * MIB)}${']'.repeat(4 * MIB)}]}`],
  ['names in one event', `{"events":[{${names}}]}`],
  ['names', `{${names},"events":[]}`],
  ['names elsewhere', `{"events":[],"more":{${names}}}`],
  ['a long text', `{"events":["${'\\"'.repeat(4 * MIB)}"]}`],
  ['a long name', `{"${'a'.repeat(8 * MIB)}":[]}`],
  ['large events', `{"events":[${many(event, 8 * MIB)}]}`],
  ['blanks', `{"events":[${' '.repeat(8 * MIB)}]}${' '.repeat(1000)}`],
])('holds the event loop only shortly for 8 MiB of %s', async (_, text) => {
  const bytes = Buffer.from(text);
  const held = await leastLongestTurnMs(async () => {
    const outcome = await outcomeOf(() => parseJsonBatch(bytes));
    if (typeof outcome === 'function') expect(outcome).toBe(InvalidFields);
  });
  expect(held).toBeLessThan(50);
});
