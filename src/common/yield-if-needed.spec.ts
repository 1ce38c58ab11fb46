import { yieldIfNeeded } from './yield-if-needed';

const LONGER_THAN_A_TURN_MS = 5;

function work(): void {
  const end = performance.now() + LONGER_THAN_A_TURN_MS;
  while (performance.now() < end);
}

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
      work();
    }
  };
  await Promise.all(Array.from({ length: 10 }, task));
  isDone = true;
  expect(new Set(turns).size).toBe(30);
});
