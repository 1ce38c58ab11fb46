import fc from 'fast-check';
import { InvalidFields } from '../../../engine/ground/errors';
import { Malformed } from '../../common/problems';
import * as yielding from '../../../engine/ground/time/yield-if-needed';
import { SENT_TWICE } from '../../validation/fields';
import * as body from './body';
import { parseJsonBatch } from './json-batch';

let turns: jest.SpiedFunction<typeof yielding.yieldIfNeeded>;
let parsed: jest.SpiedFunction<typeof body.parseJsonFields>;
beforeEach(() => {
  turns = jest.spyOn(yielding, 'yieldIfNeeded').mockResolvedValue(undefined);
  parsed = jest.spyOn(body, 'parseJsonFields');
});
afterEach(() => void jest.restoreAllMocks());

const MIB = 1024 * 1024;
const MAX_BYTES_AT_ONCE = 64 * 1024;
const MAX_MARKS_AT_ONCE = 500;
/** For 8 MiB, and for the maximum number of elements. */
const [TURNS_OF_BYTES, TURNS_OF_ELEMENTS] = [(8 * MIB) / MAX_BYTES_AT_ONCE, 10_000];
const parse = (text: string) => parseJsonBatch(Buffer.from(text));

async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return (error as Error).constructor;
  }
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
      expect(await outcomeOf(() => parse(sent))).toEqual(await outcomeOf(() => body.parseJsonFields(sent)));
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

it.each<[what: string, leastTurns: number, text: string]>([
  ['numbers', TURNS_OF_ELEMENTS, `{"events":[${many('1', 8 * MIB)}]}`],
  ['objects', TURNS_OF_ELEMENTS, `{"events":[${many('{}', 8 * MIB)}]}`],
  ['brackets', 0, `{"events":[${'['.repeat(4 * MIB)}${']'.repeat(4 * MIB)}]}`],
  ['names in one event', 0, `{"events":[{${names}}]}`],
  ['names', 0, `{${names},"events":[]}`],
  ['names elsewhere', 0, `{"events":[],"more":{${names}}}`],
  ['a long text', TURNS_OF_BYTES, `{"events":["${'\\"'.repeat(4 * MIB)}"]}`],
  ['a long name', TURNS_OF_BYTES, `{"${'a'.repeat(8 * MIB)}":[]}`],
  ['blanks', TURNS_OF_BYTES, `{"events":[${' '.repeat(8 * MIB)}]}${' '.repeat(1000)}`],
  ['large events', TURNS_OF_BYTES, `{"events":[${many(event, 8 * MIB)}]}`],
])('lets others have their turn while it reads 8 MiB of %s', async (what, leastTurns, text) => {
  const outcome = await outcomeOf(() => parse(text));
  if (what === 'large events') expect(outcome).toHaveProperty('events.length', parsed.mock.calls.length - 1);
  else expect(outcome).toBe(InvalidFields);
  expect(turns.mock.calls.length).toBeGreaterThanOrEqual(leastTurns);
  for (const [piece, rules] of parsed.mock.calls) {
    expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(MAX_BYTES_AT_ONCE);
    const marks = rules?.anyNumbers ? (piece.match(/[,[{]/g)?.length ?? 0) : 0;
    expect(marks).toBeLessThanOrEqual(MAX_MARKS_AT_ONCE);
  }
  expect(mostBetween(turns.mock.invocationCallOrder, parsed.mock.invocationCallOrder)).toBeLessThanOrEqual(1);
});

/** The most calls without a turn in between. */
function mostBetween(turns: number[], calls: number[]): number {
  let [most, since, turn] = [0, 0, 0];
  for (const call of calls) {
    while (turns[turn]! < call) [turn, since] = [turn + 1, 0];
    most = Math.max(most, ++since);
  }
  return most;
}

it('refuses one event with hundreds of fields before it parses it', async () => {
  const fields = Array.from({ length: MAX_MARKS_AT_ONCE + 1 }, (_, index) => `"${index}":1`);
  await expect(parse(`{"events":[{${fields.join()}}]}`)).rejects.toThrow(InvalidFields);
  expect(parsed).not.toHaveBeenCalled();
});
