import { setImmediate as turn } from 'node:timers/promises';
import { ByteCache } from '../../engine/ground/memory/byte-cache';
import { BYTES_OF_COUNT, type Count, RequestBudget } from './rate-limit';
import { Guesses } from './guesses';

/** Key look-ups that end when the test ends them. */
class LookUps {
  private readonly ends: ((key: string | null) => void)[] = [];
  begun = 0;

  readonly look = (): Promise<string | null> => {
    this.begun++;
    return new Promise((resolve) => this.ends.push(resolve));
  };

  async end(key: string | null): Promise<void> {
    this.ends.shift()!(key);
    await turn();
  }
}

const trials = (requests: number) => {
  const counts = new ByteCache<Count>('wrongKeyLimits', () => BYTES_OF_COUNT);
  return new Guesses(new RequestBudget('wrong-keys', { requests, seconds: 99_999 }, counts, () => undefined));
};

it('looks at no more wrong keys than may be sent, however many come at once', async () => {
  const of = trials(3);
  const lookUps = new LookUps();
  const answers = Promise.all(Array.from({ length: 100 }, () => of.run('a', lookUps.look)));
  await turn();
  expect(lookUps.begun).toBe(3);
  for (let i = 0; i < 3; i++) await lookUps.end(null);
  expect((await answers).filter(({ rateLimit }) => !rateLimit.refusal)).toHaveLength(3);
  expect(lookUps.begun).toBe(3);
});

it('looks up all concurrent keys if they are right', async () => {
  const of = trials(3);
  const lookUps = new LookUps();
  const answers = Promise.all(Array.from({ length: 10 }, () => of.run('a', lookUps.look)));
  for (let i = 0; i < 10; i++) {
    await turn();
    await lookUps.end('key');
  }
  expect((await answers).map(({ key }) => key)).toEqual(Array<string>(10).fill('key'));
});

it('counts nothing if the database does not answer, and rejects all who wait', async () => {
  const of = trials(1);
  const away = () => Promise.reject(new Error('away'));
  const answers = await Promise.allSettled([of.run('a', away), of.run('a', away)]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await of.run('a', () => Promise.resolve('key'))).key).toBe('key');
});
