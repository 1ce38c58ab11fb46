import { setImmediate } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { type Caller, CallerLeft, Gate } from '../common/gate';
import { turnWithinMs } from '../http/connections/answer-in-time';
import { keyOf } from './access';
import { budgetOf } from './admission';

const AT_ONCE = 4;

/**
 * Limits the management requests and messages of a user that are worked on at once. Many would take the write
 * connections from others, while they wait for each other's locks, and every turn of the event loop would be long.
 * Statistics and events have limits of their own.
 */
@Injectable()
export class TurnsOfUsers implements NestInterceptor {
  private readonly gate = new Gate({
    running: Infinity,
    runningOfOwner: AT_ONCE,
    waiting: Infinity,
    waitingOfOwner: Infinity,
    get patienceMs() {
      return turnWithinMs();
    },
  });

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const key = keyOf(request);
    if (!key || budgetOf(request.path) !== 'management') return next.handle();
    const caller = { owner: key.userId, signal: closing(context.switchToHttp().getResponse<Response>()) };
    return from(this.run(caller, () => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }

  /** Others come first: on SQLite, requests one after the other would not let the event loop go on. */
  run<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const turn = this.gate.run(caller, async () => {
        await work().then(resolve, reject);
        await setImmediate();
      });
      turn.catch(reject);
    });
  }
}

/** Aborts once nobody waits for the answer any more, also if that was an error. */
function closing(response: Response): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new CallerLeft());
  if (response.closed) abort();
  else response.once('close', abort);
  return controller.signal;
}
