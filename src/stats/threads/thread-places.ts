import { type Caller, Gate } from '../../common/gate';
import type { Asking, QueryThread } from './query-thread';
import type { PortionOffer } from './thread-messages';

const LIMITS = { waiting: 32, waitingOfOwner: 16, patienceMs: 10_000 };

type Scanner = Pick<QueryThread, 'scan'>;

interface Place<T extends Scanner> {
  readonly thread: T;
  readonly gate: Gate;
}

/**
 * The places at each thread, for so many queries, or portions of them, at once. Of several, an owner leaves one to
 * others. What is asked about one website is answered one after the other, and keeps no place while it waits.
 */
export class ThreadPlaces<T extends Scanner> {
  private readonly places: Place<T>[];

  constructor(
    readonly threads: T[],
    queriesAtOnce = 1,
  ) {
    const limits = { ...LIMITS, running: queriesAtOnce, runningOfOwner: Math.max(1, queriesAtOnce - 1) };
    this.places = threads.map((thread) => ({ thread, gate: new Gate(limits) }));
  }

  /** All about one website go to the same thread; others scan what it shares. */
  inTurn<R>(websiteId: number, caller: Caller, work: (thread: T, asking: Asking) => Promise<R>): Promise<R> {
    const own = this.placeOf(websiteId);
    const answered = async () => {
      const ended = new AbortController();
      const others = this.places.filter((place) => place !== own);
      const taken = new Set([own]);
      const share = (offer: PortionOffer) => {
        const other = others.shift();
        if (other) void scannedAt(other, offer, { owner: caller.owner, signal: ended.signal }, taken);
      };
      const isWantedBeside = (known: Caller) =>
        Array.from(taken).some(({ gate }) => gate.isWantedByOthers(known));
      const { owner, signal, isAnonymous } = caller;
      const doOthersWait = () => isWantedBeside(caller);
      const doUsersWait = isAnonymous ? () => isWantedBeside({ owner }) : undefined;
      try {
        return await work(own.thread, { signal, doOthersWait, doUsersWait, share });
      } finally {
        ended.abort();
      }
    };
    return own.gate.run(caller, answered, websiteId);
  }

  /** A further part of work that had its turn before. */
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

/** Until a portion has its turn the thread that offers it may scan it itself. While it has, its place is taken. */
async function scannedAt<T extends Scanner>(
  place: Place<T>,
  offer: PortionOffer,
  caller: Caller,
  taken: Set<Place<T>>,
): Promise<void> {
  try {
    await place.gate.continue(caller, () => {
      taken.add(place);
      return place.thread.scan(offer).finally(() => taken.delete(place));
    });
  } catch {
    offer.port.close();
  }
}
