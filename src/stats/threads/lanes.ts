import type { Turn } from '../queries/answer/check';
import type { ListKind, PlainKind, QueryKind, RequestOf, ResultOf, ScanKind } from './queries';
import { DayClock } from '../../common/time/day-clock';
import type { Reader } from '../../database/database';
import { valueLimitsOf } from '../../storage/rollups/limits/value-limits';
import { HitsReading } from '../hits/hits-reading';
import { LiveAnswering } from '../live/live-answering';
import { PlainAnswering } from '../plain/plain-answering';
import { OpenLists } from './open-lists';
import { QueryAnswering } from '../queries/answer/answering';
import { Zone } from '../queries/plan/buckets';
import { ColumnCache } from '../queries/read/column-cache';
import { type ThreadMemory, WorkingMemory } from '../queries/answer/working-memory';

/** The handlers of a lane's queries. */
type Handlers<Kinds extends QueryKind> = {
  readonly [K in Kinds]: (request: RequestOf<K>, turn: Turn) => ResultOf<K> | Promise<ResultOf<K>>;
};

/** The state of a thread that answers one lane. It stays for further queries. */
export interface Lane<Kinds extends QueryKind> {
  readonly handlers: Handlers<Kinds>;
}

type Kinds = PlainKind | ListKind | 'nextPiece';

/** Answers short queries, and others in short steps. */
export class PlainLane implements Lane<Kinds> {
  readonly handlers: Handlers<Kinds>;
  private readonly lists = new OpenLists();

  constructor(reader: Reader, timezone: string, threads: number, newValuesPerDay: number) {
    const maxValues = valueLimitsOf(newValuesPerDay).newPerDay;
    const plain = new PlainAnswering(reader, maxValues, threads);
    const hits = new HitsReading(reader);
    const live = new LiveAnswering(reader, new DayClock(timezone), threads);
    const { lists } = this;
    this.handlers = {
      plain: (request, turn) => plain.answer(request, turn),
      shown: (request, turn) => plain.shown(request, turn),
      live: ({ websiteId }, turn) => live.look(websiteId, turn),
      hitDays: (request, turn) => hits.days(request, turn),
      whole: (request, turn) => lists.open(request.list, turn, (own) => plain.whole(request, own)),
      hits: (request, turn) => lists.open(request.list, turn, (own) => hits.lines(request, own)),
      nextPiece: ({ list }, turn) => lists.next(list, turn),
    };
  }

  close(list: number): void {
    this.lists.close(list);
  }
}

/** Answers queries that scan hits, one at a time. */
export class ScanningLane implements Lane<ScanKind> {
  readonly handlers: Handlers<ScanKind>;

  constructor(reader: Reader, timezone: string, ofThread: ThreadMemory) {
    const memory = new WorkingMemory(ofThread);
    const cache = new ColumnCache(1, memory.takeForTexts);
    const hitQueries = new QueryAnswering(reader, cache, new Zone(timezone), memory);
    this.handlers = {
      hitQueries: (request, { patienceMs, check }) => hitQueries.answer(request, patienceMs, check),
      selection: (request, { patienceMs, check }) => hitQueries.select(request, patienceMs, check),
    };
  }
}
