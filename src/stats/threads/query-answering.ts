import { DayClock } from '../../common/day-clock';
import type { Reader } from '../../database/database';
import { HitsReading } from '../hits/hits-reading';
import { LiveAnswering } from '../live/live-answering';
import { PlainAnswering } from '../plain/plain-answering';
import { QuestionAnswering } from '../questions/answering';
import { Zone } from '../questions/buckets';
import type { Check } from '../questions/check';
import { ColumnCache } from '../questions/column-cache';
import type { Portion, PortionResult, Sharing } from '../questions/portions';
import { type ThreadMemory, WorkingMemory } from '../questions/working-memory';
import { OpenLists } from './open-lists';
import type { QueryKind, RequestOf, ResultOf } from './queries';

/** How long a query may take, and who helps with it. */
interface Turn {
  readonly patienceMs: number;
  readonly check: Check;
  readonly sharing: Sharing;
}

type Handlers = {
  [K in QueryKind]: (request: RequestOf<K>, turn: Turn) => ResultOf<K> | Promise<ResultOf<K>>;
};

/** Answers queries of all kinds, each from one snapshot, and remembers what it has read for the next ones. */
export class QueryAnswering {
  private readonly questions: QuestionAnswering;
  private readonly lists = new OpenLists();
  private readonly handlers: Handlers;

  constructor(reader: Reader, timezone: string, threads: number, ofThread: ThreadMemory) {
    const memory = new WorkingMemory(ofThread);
    const cache = new ColumnCache(1, memory.takeForTexts);
    const questions = new QuestionAnswering(reader, cache, new Zone(timezone), undefined, memory);
    const plain = new PlainAnswering(reader);
    const hits = new HitsReading(reader);
    const live = new LiveAnswering(reader, new DayClock(timezone), threads);
    const { lists } = this;
    this.questions = questions;
    this.handlers = {
      questions: (request, { patienceMs, check, sharing }) =>
        questions.answer(request, patienceMs, check, sharing),
      selection: (request, { patienceMs, check }) => questions.select(request, patienceMs, check),
      plain: (request, { patienceMs, check }) => plain.answer(request, patienceMs, check),
      shown: (request, { patienceMs, check }) => plain.shown(request, patienceMs, check),
      live: ({ websiteId }, { patienceMs, check }) => live.look(websiteId, patienceMs, check),
      hitDays: (request, { patienceMs }) => hits.days(request, patienceMs),
      whole: async (request, { patienceMs, check }) =>
        lists.open(request.list, await plain.whole(request, patienceMs, check)),
      hits: (request, { patienceMs }) => lists.open(request.list, hits.lines(request, patienceMs)),
      nextPiece: ({ list }) => lists.next(list),
    };
  }

  async answer<K extends QueryKind>(kind: K, request: RequestOf<K>, turn: Turn): Promise<ResultOf<K>> {
    return this.handlers[kind](request, turn);
  }

  /** Scans a portion for another thread; undefined where that has to do it itself. */
  scan(portion: Portion, patienceMs: number, check: Check): Promise<PortionResult | undefined> {
    return this.questions.scan(portion, patienceMs, check);
  }

  close(list: number): void {
    this.lists.close(list);
  }
}
