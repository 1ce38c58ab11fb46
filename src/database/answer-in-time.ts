import type { ServerResponse } from 'node:http';
import { respondWithProblem } from '../common/problem-response';
import { DatabaseUnavailable } from './errors';

const ANSWER_WITHIN_MS = 1500;

/** The database may keep a request waiting in each of its steps; its caller waits this long for all of them. */
export function answerInTime(response: ServerResponse, path: string): void {
  const overdue = setTimeout(() => {
    if (!response.headersSent) respondWithProblem(response, new DatabaseUnavailable(), path);
  }, ANSWER_WITHIN_MS);
  response.once('close', () => clearTimeout(overdue));
}
