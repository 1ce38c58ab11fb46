import { setImmediate } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { CallerLeft, Gate } from '../../engine/ground/gate';
import { TooManyRequests } from '../../engine/ground/errors';
import { turnWithinMs } from '../http/connections/answer-in-time';
import { Routes } from '../http/requests/routes';
import { keyOf } from './bearer.guard';
import type { ApiKey } from './api-key.entity';

const AT_ONCE = 4;
/** So that one key of a user leaves a turn to the others. */
const AT_ONCE_OF_KEY = 3;

type Key = Pick<ApiKey, 'id' | 'userId'>;

/**
 * Limits the management requests and messages of a user that are worked on at once. Many would take the write
 * connections from others, while they wait for each other's locks, and every turn of the event loop would be long.
 * Statistics and events have limits of their own.
 */
@Injectable()
export class TurnsOfUsers implements NestInterceptor {
  private readonly ofKeys = gateFor(AT_ONCE_OF_KEY);
  private readonly ofUsers = gateFor(AT_ONCE);

  constructor(private readonly routes: Routes) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const key = keyOf(request);
    if (!key || this.routes.of(request).budget !== 'management') return next.handle();
    const signal = closing(context.switchToHttp().getResponse<Response>());
    return from(this.run(key, () => lastValueFrom(next.handle(), { defaultValue: undefined }), signal));
  }

  /** Others come first: on SQLite, requests one after the other would not let the event loop go on. */
  run<T>({ id, userId }: Key, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      // A turn in time for the one is too late after the wait for the other.
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(new TooManyRequests()), turnWithinMs());
      const waiting = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
      const inTurn = async () => {
        clearTimeout(timer);
        await work().then(resolve, reject);
        await setImmediate();
      };
      const turn = this.ofKeys.run({ owner: id, signal: waiting }, () =>
        this.ofUsers.run({ owner: userId, signal: waiting }, inTurn),
      );
      turn.catch(reject).finally(() => clearTimeout(timer));
    });
  }
}

function gateFor(runningOfOwner: number): Gate {
  return new Gate({
    running: Infinity,
    runningOfOwner,
    waiting: Infinity,
    waitingOfOwner: Infinity,
    get patienceMs() {
      return turnWithinMs();
    },
  });
}

/** Aborts once nobody waits for the answer any more, also if that was an error. */
function closing(response: Response): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new CallerLeft());
  if (response.closed) abort();
  else response.once('close', abort);
  return controller.signal;
}
