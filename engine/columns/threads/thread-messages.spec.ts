import { DatabaseUnavailable } from '../../database/errors';
import { NotSeen, type Problem } from '../../ground/errors';
import { TimeoutError } from '../../ground/time/timeout';
import { problemOf, problemParts } from './thread-messages';

const sent = (problem: Problem) => problemOf(structuredClone(problemParts(problem)));

it('keeps what the driver said when the database cannot be reached', () => {
  const lost = Object.assign(new Error('lost'), { code: 'PROTOCOL_CONNECTION_LOST' });
  const received = sent(new DatabaseUnavailable(lost));
  expect(received).toBeInstanceOf(DatabaseUnavailable);
  expect(received.cause).toMatchObject({ message: 'lost', code: 'PROTOCOL_CONNECTION_LOST' });
  expect(sent(new DatabaseUnavailable(new TimeoutError('late'))).cause).toBeInstanceOf(TimeoutError);
  expect(sent(new DatabaseUnavailable())).toMatchObject({
    code: 'database_unavailable',
    retryAfterSeconds: 2,
  });
});

it('keeps the code of any other problem', () => {
  const problem = new NotSeen();
  expect(sent(problem)).toMatchObject({ code: problem.code, message: problem.message });
});
