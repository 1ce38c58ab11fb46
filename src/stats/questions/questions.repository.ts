import { availableParallelism } from 'node:os';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { Settings } from '../../config/settings';
import { Database } from '../../database/database';
import { RetentionClock } from '../../retention/retention-clock';
import { firstDayWithHits } from '../../storage/kept-hits';
import type { Question, QuestionResult, SelectedHits, SelectionRequest } from './question';
import { QuestionPlaces } from './question-places';
import { QuestionThread } from './question-thread';
import type { Viewer } from '../viewer';
import { memoryOfThreads } from './working-memory';

const MAX_THREADS = 4;
/** Fewer are scanned as soon by one thread as by two. */
const LEAST_SHARED_HITS = 500_000;

/** Has questions answered by threads: the event loop scans no hits. */
@Injectable()
export class QuestionsRepository implements BeforeApplicationShutdown {
  private readonly threads: QuestionThread[];
  private readonly places: QuestionPlaces<QuestionThread>;

  constructor(
    { database: address, timezone, cacheMb }: Settings,
    private readonly clock: RetentionClock,
    private readonly database: Database,
  ) {
    const threads = Math.min(MAX_THREADS, availableParallelism());
    const data = { address, timezone, cacheMb, threads, leastShared: LEAST_SHARED_HITS };
    this.threads = memoryOfThreads(threads).map((memory) => new QuestionThread({ ...data, memory }));
    this.places = new QuestionPlaces(this.threads);
  }

  /** The first day whose statistics are kept. */
  async keptFrom(): Promise<number> {
    return (await this.clock.calendar()).keptFrom;
  }

  /** What relative ranges depend on. */
  async calendar(websiteId: number): Promise<{ today: number; first: number; keptFrom: number }> {
    const { today, keptFrom } = await this.clock.calendar();
    const first = await this.database.readQuick((manager) => firstDayWithHits(manager, websiteId, keptFrom));
    return { today, keptFrom, first: first ?? today };
  }

  /** Answers all of them from one snapshot. */
  async ask(
    viewer: Viewer,
    websiteId: number,
    caller: Caller,
    keptFrom: number,
    questions: Question[],
  ): Promise<QuestionResult> {
    const request = { viewer, websiteId, keptFrom, questions };
    return this.places.inTurn(websiteId, caller, (thread, asking) => thread.ask(request, asking));
  }

  /** Which hits of a day a filter selects. */
  select(request: SelectionRequest, caller: Caller): Promise<SelectedHits> {
    return this.places.inTurn(request.websiteId, caller, (thread, asking) => thread.select(request, asking));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }
}
