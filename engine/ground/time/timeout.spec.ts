import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { TimeoutError, withTimeout, withTimeoutOrRelease } from './timeout';

const never = new Promise<string>(() => undefined);
function settledLater() {
  let settle!: { resolve: (value: string) => void; reject: (reason: Error) => void };
  const promise = new Promise<string>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle };
}
/** Lets the handlers of settled promises run. */
const turn = () => new Promise(setImmediate);

describe('a result that comes too late', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it('is given back, and nothing else', async () => {
    const back: string[] = [];
    const giveBack = (late: string) => back.push(late);
    const inTime = withTimeoutOrRelease(100, Promise.resolve('in time'), giveBack);
    await expect(inTime).resolves.toBe('in time');
    const { promise, resolve } = settledLater();
    const tooLate = withTimeoutOrRelease(10, promise, giveBack);
    jest.advanceTimersByTime(9);
    await turn();
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1);
    await expect(tooLate).rejects.toThrow(TimeoutError);
    expect(back).toEqual([]);
    resolve('late');
    await turn();
    expect(back).toEqual(['late']);
  });

  it('is not given back if it failed', async () => {
    const back: string[] = [];
    const { promise, reject } = settledLater();
    const failed = withTimeoutOrRelease(10, promise, (late) => back.push(late));
    jest.advanceTimersByTime(10);
    await expect(failed).rejects.toThrow(TimeoutError);
    reject(new Error('no'));
    await turn();
    expect(back).toEqual([]);
  });
});

it('ends at once, without a warning of Node.js, if the time is already up', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  await expect(withTimeout(-9, never)).rejects.toThrow(TimeoutError);
  process.off('warning', warned);
  expect(warnings).toEqual([]);
});

it('accepts a result that arrived while the process was blocked', async () => {
  const { port1, port2 } = new MessageChannel();
  const message = once(port1, 'message').then(([data]) => data as string);
  const answered = withTimeout(5, message);
  port2.postMessage('in time');
  const since = performance.now();
  while (performance.now() < since + 50);
  await expect(answered).resolves.toBe('in time');
  port1.close();
});
