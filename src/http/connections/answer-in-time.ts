import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { deadlinesIn } from '../../../engine/ground/time/deadlines';
import { patience } from '../../../engine/ground/time/patience';
import { Problem } from '../../../engine/ground/errors';
import { respondWithProblem } from '../answers/problem-response';
import { pathOf } from '../requests/requests';

/** The database or the service is slow. The work continues in the background. */
export class NoAnswerInTime extends Problem {
  constructor() {
    const detail = 'The request took too long. It may still complete; try again.';
    super('database_unavailable', detail, { retryAfterSeconds: 2 });
  }
}

/** A turn that comes later would leave no time for the request. */
export function turnWithinMs(): number {
  return (2 / 3) * patience.answerMs;
}

/** A timer for each event would take a twentieth of the event's time. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = deadlinesIn(patience.answerMs).add(() => reject(new NoAnswerInTime()));
    work.then(resolve, reject).then(cancel, cancel);
  });
}

const long = new WeakSet<ServerResponse>();

/** Extends the deadline of a long read while the database answers. */
export function letTakeLonger(response: ServerResponse): void {
  long.add(response);
}

const spentMs = new WeakMap<ServerResponse, number>();

/** Work before `answerInTime` that counts towards its limit. */
export async function onTimeOf<T>(response: ServerResponse, work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work;
  } finally {
    spentMs.set(response, performance.now() - startedAt);
  }
}

/** Limits the time of requests whose steps are not awaited in one place. */
export function answerInTime(isDatabaseAnswering: () => Promise<boolean>): RequestHandler {
  return (request, response, next) => {
    const check = async () => {
      const goesOn = long.has(response) && (await isDatabaseAnswering());
      if (response.headersSent || response.closed) return;
      if (goesOn) wait(patience.answerMs);
      else respondWithProblem(response, new NoAnswerInTime(), pathOf(request));
    };
    let overdue: NodeJS.Timeout;
    const wait = (milliseconds: number) => (overdue = setTimeout(() => void check(), milliseconds));
    response.once('close', () => clearTimeout(overdue));
    wait(patience.answerMs - (spentMs.get(response) ?? 0));
    next();
  };
}
