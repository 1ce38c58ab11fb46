import { yieldIfNeeded } from './yield-if-needed';

const LONGER_THAN_A_TURN_MS = 5;

let now = performance.now();
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => void jest.restoreAllMocks());

it('lets one of many tasks go on in each turn of the event loop', async () => {
  let turn = 0;
  let isDone = false;
  const countTurns = () => {
    turn++;
    if (!isDone) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const turns: number[] = [];
  const task = async () => {
    for (let piece = 0; piece < 3; piece++) {
      await yieldIfNeeded();
      turns.push(turn);
      now += LONGER_THAN_A_TURN_MS;
    }
  };
  await Promise.all(Array.from({ length: 10 }, task));
  isDone = true;
  expect(new Set(turns).size).toBe(30);
});

it('goes on within a turn while it is short', async () => {
  await yieldIfNeeded();
  let hasTurned = false;
  setImmediate(() => (hasTurned = true));
  for (let piece = 0; piece < 3; piece++) {
    now++;
    await yieldIfNeeded();
  }
  expect(hasTurned).toBe(false);
});
