import { type Caller, Gate } from '../../ground/gate';
import { Gauge } from '../../ground/measures';
import { ByteCache } from '../../ground/memory/byte-cache';
import type { QueryContext } from './query-thread';

const WAITING = new Gauge('queries_waiting', 'Queries that wait for a thread.', ['lane']);
const LIMITS = { waiting: 32, waitingOfOwner: 16, patienceMs: 10_000 };
/** Queries whose counts are cached take milliseconds: waiting for some of them is faster than counting again. */
const SHORT_MS = 100;
/** Queries about a day take less. Reading columns again takes longer. */
const BRIEF_MS = 20;
/** Enough for a thousand names. */
const MAX_BYTES_OF_NAMES = 256 * 1024;

interface Slot<T> {
  readonly thread: T;
  readonly gate: Gate;
  readonly lane: string;
}

/** What a thread may have cached for a query. */
interface CachedNames {
  /** The name of its counts. */
  readonly counts: string;
  /** The name of the columns that they are counted from. */
  readonly columns: string;
}

type Work<T, R> = (thread: T, asking: QueryContext) => Promise<R>;

interface Options {
  lane?: string;
  /** The number of queries that a thread answers at once. */
  queriesAtOnce?: number;
  /** Tells whether a query goes to an idle thread while that of its website is busy. */
  usesIdleThreads?: boolean;
}

/**
 * The slots of all threads, one for each query at once. If there are several, an owner leaves one to others. Queries
 * about one website run one after the other in a thread, and hold no slot while they wait.
 */
export class ThreadSlots<T> {
  private readonly slots: Slot<T>[];
  private readonly usesIdleThreads: boolean;
  /** The slot with the cached counts of each named query. */
  private readonly cachedIn = new ByteCache<Slot<T>>({ maxBytes: MAX_BYTES_OF_NAMES }, () => 0);
  /** The slot that last read some columns. */
  private readonly readIn = new ByteCache<Slot<T>>({ maxBytes: MAX_BYTES_OF_NAMES }, () => 0);

  constructor(
    readonly threads: T[],
    { lane = 'plain', queriesAtOnce = 1, usesIdleThreads = false }: Options = {},
  ) {
    this.usesIdleThreads = usesIdleThreads;
    const limits = { ...LIMITS, running: queriesAtOnce, runningOfOwner: Math.max(1, queriesAtOnce - 1) };
    this.slots = threads.map((thread) => ({ thread, gate: new Gate(limits), lane }));
  }

  /** Queries about one website use the same thread, which caches what it read, or an idle one. */
  inTurn<R>(websiteId: number, caller: Caller, work: Work<T, R>): Promise<R> {
    return this.runAt(this.ownOrIdleSlot(websiteId), websiteId, caller, work);
  }

  /** Runs work in the website's own thread, where `continue` goes on. */
  inOwnTurn<R>(websiteId: number, caller: Caller, work: Work<T, R>): Promise<R> {
    return runIn(this.slotOf(websiteId), websiteId, caller, work);
  }

  /**
   * The same for a query whose counts may be cached: it uses the thread that has them, if that is soon idle. Otherwise it
   * prefers the one that last read its columns, because the queries of a page arrive in any order, and each thread would
   * read the columns of the other.
   */
  async inTurnAgain<R>(
    { counts, columns }: CachedNames,
    websiteId: number,
    caller: Caller,
    work: Work<T, R>,
    isCached: (answer: R) => boolean,
  ): Promise<R> {
    const [last, reader] = [this.cachedIn.get(counts), this.readIn.get(columns)];
    let thread: T;
    const noted: Work<T, R> = (own, asking) => work((thread = own), asking);
    const answer = await this.runSoonAt(last, reader, websiteId, caller, noted);
    const slot = this.slots.find((one) => one.thread === thread)!;
    // Cached counts need no columns.
    if (slot !== last) this.readIn.set(columns, slot);
    if (isCached(answer)) this.cachedIn.set(counts, slot);
    else this.cachedIn.delete(counts);
    return answer;
  }

  /** Of several that wait, only one finds the slot idle, because it takes the slot in the same step. */
  private async runSoonAt<R>(
    last: Slot<T> | undefined,
    reader: Slot<T> | undefined,
    websiteId: number,
    caller: Caller,
    work: Work<T, R>,
  ): Promise<R> {
    const waitsUntil = performance.now() + SHORT_MS;
    while (last && !last.gate.isIdle) if (!(await last.gate.untilIdle(waitsUntil - performance.now()))) break;
    if (last?.gate.isIdle) return this.runAt(last, websiteId, caller, work);
    const readsUntil = performance.now() + BRIEF_MS;
    while (reader && reader !== last && this.mayWaitFor(reader))
      if (!(await reader.gate.untilIdle(readsUntil - performance.now()))) break;
    const slot = reader?.gate.isIdle ? reader : this.ownOrIdleSlot(websiteId);
    return this.runAt(slot, websiteId, caller, work);
  }

  /** Waiting is no use where no other slot is idle: the place in a line would be a later one. */
  private mayWaitFor({ gate }: Slot<T>): boolean {
    return !gate.isIdle && this.slots.some((other) => other.gate.isIdle);
  }

  private runAt<R>(slot: Slot<T>, websiteId: number, caller: Caller, work: Work<T, R>): Promise<R> {
    const isOwn = slot === this.slotOf(websiteId);
    return isOwn ? runIn(slot, websiteId, caller, work) : this.asGuest(slot, websiteId, caller, work);
  }

  /**
   * In the thread of other websites, whose queries soon have it again: then the work begins anew in its own thread, with
   * the time that is left.
   */
  private async asGuest<R>(slot: Slot<T>, websiteId: number, caller: Caller, work: Work<T, R>): Promise<R> {
    const { gate, thread } = slot;
    const { owner, signal } = caller;
    let isUnwanted = false;
    const startedAt = performance.now();
    const doUsersWait = () => (isUnwanted ||= gate.isWantedByOthers({ owner }));
    try {
      return await inGate(slot, websiteId, caller, () => work(thread, { signal, doUsersWait }));
    } catch (error) {
      if (!isUnwanted || signal?.aborted) throw error;
      const spentMs = performance.now() - startedAt;
      return await runIn(this.slotOf(websiteId), websiteId, caller, (own, asking) =>
        work(own, { ...asking, spentMs }),
      );
    }
  }

  /** A further part of work that had its turn. */
  continue<R>(websiteId: number, caller: Caller, work: Work<T, R>): Promise<R> {
    const { gate, thread } = this.slotOf(websiteId);
    return gate.continue(caller, () => work(thread, contextIn(gate, caller)), websiteId);
  }

  threadOf(websiteId: number): T {
    return this.slotOf(websiteId).thread;
  }

  private slotOf(websiteId: number): Slot<T> {
    return this.slots[Math.floor(spread(websiteId) * this.slots.length)]!;
  }

  private ownOrIdleSlot(websiteId: number): Slot<T> {
    const own = this.slotOf(websiteId);
    if (own.gate.isIdle || !this.usesIdleThreads) return own;
    return this.slots.find(({ gate }) => gate.isIdle) ?? own;
  }
}

/** 2^32 divided by the golden ratio, whose multiples are spread evenly. */
const GOLDEN = 0x9e3779b1;

/**
 * A number from 0 to 1 for an id. Clusters of servers give ids in steps of the number of their nodes, so the rest of a
 * division would leave threads idle.
 */
function spread(id: number): number {
  return (Math.imul(id, GOLDEN) >>> 0) / 2 ** 32;
}

function runIn<T, R>(slot: Slot<T>, websiteId: number, caller: Caller, work: Work<T, R>): Promise<R> {
  return inGate(slot, websiteId, caller, () => work(slot.thread, contextIn(slot.gate, caller)));
}

async function inGate<T, R>(
  { gate, lane }: Slot<T>,
  websiteId: number,
  caller: Caller,
  work: () => Promise<R>,
): Promise<R> {
  let waiting = 1;
  WAITING.add(waiting, lane);
  const begin = () => {
    WAITING.add(-waiting, lane);
    waiting = 0;
  };
  const begun = () => {
    begin();
    return work();
  };
  return gate.run(caller, begun, websiteId).finally(begin);
}

function contextIn(gate: Gate, caller: Caller): QueryContext {
  const { signal, isAnonymous } = caller;
  const doOthersWait = () => gate.isWantedByOthers(caller);
  const doUsersWait = isAnonymous ? () => gate.isWantedByUsers() : undefined;
  return { signal, doOthersWait, doUsersWait };
}
