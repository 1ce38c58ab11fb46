import type { ServerResponse } from 'node:http';
import { respondWithProblem } from '../common/problem-response';
import { DatabaseUnavailable } from './errors';
import { Overdue, within } from './overdue';

/** The database may keep a request waiting in each of its steps; its caller waits this long for all of them. */
const ANSWER_WITHIN_MS = 1500;

export async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await within(ANSWER_WITHIN_MS, work);
  } catch (error) {
    throw error instanceof Overdue ? new DatabaseUnavailable() : error;
  }
}

/**
 * The same for requests whose steps nobody awaits together. What may have much to read is given more time, while the
 * database answers others.
 */
export function answerInTime(response: ServerResponse, path: string, mayGoOn?: () => Promise<boolean>): void {
  const check = async () => {
    const goesOn = (await mayGoOn?.()) ?? false;
    if (response.headersSent || response.closed) return;
    if (goesOn) wait();
    else respondWithProblem(response, new DatabaseUnavailable(), path);
  };
  let overdue: NodeJS.Timeout;
  const wait = () => (overdue = setTimeout(() => void check(), ANSWER_WITHIN_MS));
  response.once('close', () => clearTimeout(overdue));
  wait();
}
