import { type Caller, Gate } from '../../common/gate';
import type { QueryContext } from './query-thread';

const LIMITS = { waiting: 32, waitingOfOwner: 16, patienceMs: 10_000 };

interface Place<T> {
  readonly thread: T;
  readonly gate: Gate;
}

/**
 * The places of all threads, one for each query at once. If there are several, an owner leaves one to others. Queries
 * about one website run one after the other, and hold no place while they wait.
 */
export class ThreadPlaces<T> {
  private readonly places: Place<T>[];

  constructor(
    readonly threads: T[],
    queriesAtOnce = 1,
  ) {
    const limits = { ...LIMITS, running: queriesAtOnce, runningOfOwner: Math.max(1, queriesAtOnce - 1) };
    this.places = threads.map((thread) => ({ thread, gate: new Gate(limits) }));
  }

  /** All queries about one website use the same thread. */
  inTurn<R>(
    websiteId: number,
    caller: Caller,
    work: (thread: T, asking: QueryContext) => Promise<R>,
  ): Promise<R> {
    const { thread, gate } = this.placeOf(websiteId);
    const { owner, signal, isAnonymous } = caller;
    const doOthersWait = () => gate.isWantedByOthers(caller);
    const doUsersWait = isAnonymous ? () => gate.isWantedByOthers({ owner }) : undefined;
    return gate.run(caller, () => work(thread, { signal, doOthersWait, doUsersWait }), websiteId);
  }

  /** A further part of work that had its turn. */
  continue<R>(websiteId: number, caller: Caller, work: (thread: T) => Promise<R>): Promise<R> {
    const { gate, thread } = this.placeOf(websiteId);
    return gate.continue(caller, () => work(thread), websiteId);
  }

  threadOf(websiteId: number): T {
    return this.placeOf(websiteId).thread;
  }

  private placeOf(websiteId: number): Place<T> {
    return this.places[websiteId % this.places.length]!;
  }
}
