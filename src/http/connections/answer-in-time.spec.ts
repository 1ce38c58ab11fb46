import { patience } from '../../../engine/ground/time/patience';
import { inTime } from './answer-in-time';

it('ends the wait for work that takes too long, and does not say that it was not done', async () => {
  jest.replaceProperty(patience, 'answerMs', 1);
  await expect(inTime(new Promise(() => undefined))).rejects.toMatchObject({
    code: 'database_unavailable',
    detail: 'The request took too long. It may still complete; try again.',
    retryAfterSeconds: 2,
  });
});

it('gives back what is done in time', async () => {
  await expect(inTime(Promise.resolve('done'))).resolves.toBe('done');
  await expect(inTime(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});
