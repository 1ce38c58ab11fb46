import { bytesOfPool, bytesOfQuery, ROWS_OVER_LIMIT } from '../../ground/memory/memory-limits';
import { InvalidFields, Overloaded } from '../../ground/errors';
import { giveBackOf, memoryOfThreads, WorkingMemory } from './working-memory';

const ALL = bytesOfPool('queries');
const threads = (count: number) => memoryOfThreads(count).map((memory) => new WorkingMemory(memory));

it('has room for all that one query may take', () => {
  const [memory] = threads(4);
  expect(memory!.takeForTexts(1.5 * bytesOfQuery('texts') + bytesOfQuery('derivedTexts'))).toBe(true);
  memory!.take(ROWS_OVER_LIMIT * bytesOfQuery('rows'));
  memory!.take(bytesOfQuery('filters'));
  memory!.take(bytesOfQuery('days'));
  memory!.check();
  expect(() => memory!.take(1)).toThrow(InvalidFields);
});

it('does not ask a caller to try again if one query needs more than there is', () => {
  const [one, other] = threads(2) as [WorkingMemory, WorkingMemory];
  other.take(1);
  expect(() => one.take(ALL)).toThrow(Overloaded);
  for (const bytes of [ALL + 1, 2 ** 31, 2 ** 40]) expect(() => one.take(bytes)).toThrow(InvalidFields);
  other.end();
  expect(one.takeForTexts(ALL + 1)).toBe(false);
  expect(() => one.check()).toThrow(InvalidFields);
  one.end();
  one.take(ALL);
});

it.each([1, 2, 4, 16])('is no larger with %i threads', (count) => {
  const all = threads(count);
  let taken = 0;
  for (const memory of all) while (memory.takeForTexts(1_000_000)) taken += 1_000_000;
  expect(taken).toBeLessThanOrEqual(ALL);
  expect(taken).toBeGreaterThan(ALL - 1_000_000 * (count + 1));
});

it('refuses rows and filters at once, and texts at the next check, until others have ended', () => {
  const [one, other] = threads(2) as [WorkingMemory, WorkingMemory];
  one.take(ALL);
  expect(() => other.take(1)).toThrow(Overloaded);
  expect([other.isShort, other.takeForTexts(1), other.isShort]).toEqual([false, false, true]);
  expect(() => other.check()).toThrow(Overloaded);
  for (const memory of [one, other]) memory.end();
  other.check();
  other.take(ALL);
});

it('keeps what texts take where they stay', () => {
  const [one, other] = threads(2) as [WorkingMemory, WorkingMemory];
  one.takeForTexts(ALL / 2);
  one.take(ALL / 2);
  one.keepTexts();
  other.take(ALL / 2);
  expect(() => other.take(1)).toThrow(Overloaded);
});

it('is given back for a thread that has ended', () => {
  const slots = memoryOfThreads(2);
  const [ended, other] = slots.map((memory) => new WorkingMemory(memory)) as [WorkingMemory, WorkingMemory];
  other.take(1000);
  ended.take(ALL - 1_000_000);
  expect(() => other.take(2_000_000)).toThrow(Overloaded);
  giveBackOf(slots[0]!);
  other.take(ALL - 1000);
  expect(() => slots.map((memory) => new WorkingMemory(memory))[0]!.take(1)).toThrow(Overloaded);
});
