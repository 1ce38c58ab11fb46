import { availableParallelism } from 'node:os';
import { type Caller, Gate } from '../../ground/gate';
import { POOL_BYTES } from '../../ground/memory/memory-budget';
import type { PoolName } from '../../ground/memory/memory-limits';
import type { ReadMemory } from '../../ground/memory/read-memory';
import type { HitSettings } from '../../database/hit-settings';
import { memoryOfThreads, takenOf, type ThreadMemory } from '../../asking/memory/working-memory';
import type { Filter } from '../../questions/parse/filter';
import type { QueryRequest, QueryResult } from '../../questions/plan/hit-query';
import { nameOfColumns } from '../../asking/answer/sealed-counts';
import { NeedsHome } from '../homes/homes';
import { NeedsScan } from '../plain/counted-days';
import type { PlainKind, RequestOf, ResultOf, ScanKind } from './queries';
import { PLAIN_PATIENCE_MS } from './query-deadlines';
import { type QueryContext, QueryThread } from './query-thread';
import { type LaneName, QUERIES_AT_ONCE } from './thread-messages';
import { ThreadSlots } from './thread-slots';
import { type ListKind, type Piece } from '../../questions/questions';

const MAX_SCANNING = 4;
/** What the threads of a lane share. */
const POOLS = { plain: 'countedDays', scanning: 'queries' } as const satisfies Record<LaneName, PoolName>;
const PLAIN_THREADS = 2;
/** Of questions that ask a remote home. */
const OF_HOME = { waiting: 32, waitingOfOwner: 16, patienceMs: 10_000 };

/** Lets a query ask a remote home. */
type LetTo = (asking: QueryContext) => QueryContext;

/** Sends queries to threads. The event loop reads no statistics, and scans do not delay plain queries. */
export class QueryThreads {
  private readonly threads: QueryThread[] = [];
  private readonly scanning: ThreadSlots<QueryThread>;
  private readonly plain: ThreadSlots<QueryThread>;
  /** A remote home takes long. Where there are several threads, it always leaves one to other questions. */
  private readonly home: Gate;
  private readonly taken = new Map<LaneName, ThreadMemory>();
  private lastList = 0;
  private arePrepared = false;

  constructor(
    { database: address, timezone, cacheMb, newValuesPerDay, moves }: HitSettings,
    private readonly memory: ReadMemory,
  ) {
    const hangsUntil = moves?.home && new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const data = { address, timezone, cacheMb, newValuesPerDay, moves, hangsUntil };
    const scanning = Math.min(MAX_SCANNING, availableParallelism());
    const laneOf = (lane: LaneName, threads: number, { usesIdleThreads = false, ...times }) => {
      const memories = memoryOfThreads(threads);
      this.taken.set(lane, memories[0]!);
      const own = memories.map((memory) => new QueryThread({ ...data, threads, memory, lane }, times));
      this.threads.push(...own);
      return new ThreadSlots(own, { lane, queriesAtOnce: QUERIES_AT_ONCE[lane], usesIdleThreads });
    };
    const running = Math.max(1, scanning - 1);
    this.home = new Gate({ ...OF_HOME, running, runningOfOwner: running });
    this.scanning = laneOf('scanning', scanning, { usesIdleThreads: true });
    this.plain = laneOf('plain', PLAIN_THREADS, { patienceMs: PLAIN_PATIENCE_MS });
  }

  /** Starts the threads of the plain lane ahead. Those of the scanning lane follow the first plain query. */
  start(): void {
    for (const thread of this.plain.threads) thread.start();
  }

  /** Measures the memory of queries. */
  look(): void {
    for (const [lane, memory] of this.taken) POOL_BYTES.set(takenOf(memory), POOLS[lane]);
  }

  /** For queries that scan hits. They give way to others after their turn. */
  scan<K extends ScanKind | PlainKind>(kind: K, request: RequestOf<K>, caller: Caller): Promise<ResultOf<K>> {
    return this.throughHome(caller, (letTo) =>
      this.scanning.inTurn(request.websiteId, caller, (thread, asking) =>
        thread.ask(kind, request, letTo(asking)),
      ),
    );
  }

  /** Work that turns out to ask a remote home begins anew in a turn of its own. */
  private async throughHome<R>(caller: Caller, work: (letTo: LetTo) => Promise<R>): Promise<R> {
    try {
      return await work((asking) => asking);
    } catch (error) {
      if (!(error instanceof NeedsHome)) throw error;
    }
    return this.home.run(caller, () => work(this.asksHome(caller)));
  }

  private asksHome(caller: Caller): LetTo {
    return (asking) => ({
      ...asking,
      asksHome: true,
      doOthersWait: () => asking.doOthersWait?.() === true || this.home.isWantedByOthers(caller),
    });
  }

  /** For queries whose counts a thread may have cached under a name. */
  count(name: string, request: QueryRequest, caller: Caller): Promise<QueryResult> {
    const { websiteId, hitQueries } = request;
    const names = { counts: name, columns: nameOfColumns(websiteId, hitQueries) };
    return this.throughHome(caller, (letTo) => {
      const work = (thread: QueryThread, asking: QueryContext) =>
        thread.ask('hitQueries', request, letTo(asking));
      return this.scanning.inTurnAgain(names, websiteId, caller, work, ({ isCached }) => isCached);
    });
  }

  /** For queries with short answers. If something is left out of days, these may have to be scanned. */
  async answer<K extends PlainKind>(kind: K, request: RequestOf<K>, caller: Caller): Promise<ResultOf<K>> {
    const work = (thread: QueryThread, { signal }: QueryContext) => thread.ask(kind, request, { signal });
    try {
      const answer = await this.plain.inTurn(request.websiteId, caller, work);
      this.prepareScans();
      return answer;
    } catch (error) {
      if (!(error instanceof NeedsScan)) throw error;
      return this.scan(kind, request, caller);
    }
  }

  /** Whoever reads statistics may filter them next. A thread that cannot be started fails the first scan, no answer. */
  private prepareScans(): void {
    if (this.arePrepared) return;
    this.arePrepared = true;
    setImmediate(() => {
      try {
        for (const thread of this.scanning.threads) thread.start();
      } catch {
        // The first scan tries again.
      }
    });
  }

  /**
   * A list in pieces. It holds a place only while a piece is read, and its memory until it ends. With a filter, or if
   * something is left out, it scans hits, so it gives way to others as scans do.
   */
  async *list<K extends ListKind>(
    kind: K,
    request: Omit<RequestOf<K>, 'list'> & { websiteId: number; filter?: Filter | undefined },
    caller: Caller,
  ): AsyncGenerator<Piece> {
    const { websiteId, filter } = request;
    const { signal } = caller;
    const list = ++this.lastList;
    let places = filter ? this.scanning : this.plain;
    const contextOf = (asking: QueryContext) => (places === this.scanning ? asking : { signal });
    const close = () => places.threadOf(websiteId).close(list);
    const open = () =>
      this.throughHome(caller, (letTo) =>
        places.inOwnTurn(websiteId, caller, (thread, asking) =>
          thread.ask(kind, { ...request, list } as RequestOf<K>, letTo(contextOf(asking))),
        ),
      );
    signal?.addEventListener('abort', close, { once: true });
    try {
      const { bytes, asksHome } = await open().catch((error: unknown) => {
        if (!(error instanceof NeedsScan)) throw error;
        places = this.scanning;
        return open();
      });
      const memory = bytes > 0 ? this.memory.reserve(caller, bytes) : undefined;
      memory?.signal.addEventListener('abort', close, { once: true });
      const letTo = this.asksHome(caller);
      const nextPiece = () =>
        places.continue(websiteId, caller, (thread, asking) =>
          thread.ask('nextPiece', { list }, contextOf(places === this.scanning ? letTo(asking) : asking)),
        );
      const pieces = piecesFrom(asksHome ? () => this.home.continue(caller, nextPiece) : nextPiece);
      yield* memory ? memory.offer(pieces) : pieces;
    } finally {
      signal?.removeEventListener('abort', close);
      close();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }
}

/** The pieces up to the end of a list, without empty ones. */
async function* piecesFrom(next: () => Promise<Piece | undefined>): AsyncGenerator<Piece> {
  for (let piece = await next(); piece; piece = await next()) if (piece.length > 0) yield piece;
}
