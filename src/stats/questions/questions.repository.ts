import { availableParallelism } from 'node:os';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type Caller, Gate } from '../../common/gate';
import { Settings } from '../../config/settings';
import { Database } from '../../database/database';
import { RetentionClock } from '../../retention/retention-clock';
import { firstDayWithHits } from '../../storage/kept-hits';
import type { Question, QuestionResult, SelectedHits, SelectionRequest } from './question';
import { QuestionThread } from './question-thread';
import type { Viewer } from '../viewer';

const MAX_THREADS = 4;
/** As long reads wait for theirs, in turn between the users. */
const LIMITS = { running: 1, runningOfOwner: 1, waiting: 32, waitingOfOwner: 16, patienceMs: 10_000 };

interface Place {
  thread: QuestionThread;
  gate: Gate;
}

/** Has questions answered by threads: the event loop scans no hits. All about one website go to the same thread. */
@Injectable()
export class QuestionsRepository implements BeforeApplicationShutdown {
  private readonly places: Place[];

  constructor(
    { database: address, timezone, cacheMb }: Settings,
    private readonly clock: RetentionClock,
    private readonly database: Database,
  ) {
    const threads = Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1));
    this.places = Array.from({ length: threads }, () => ({
      thread: new QuestionThread({ address, timezone, cacheMb, threads }),
      gate: new Gate(LIMITS),
    }));
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
    const { thread, gate } = this.places[websiteId % this.places.length]!;
    const request = { viewer, websiteId, keptFrom, questions };
    return gate.run(caller, () => thread.ask(request, caller.signal, () => gate.isWantedByOthers(caller)));
  }

  /** Which hits of a day a filter selects. */
  select(request: SelectionRequest, caller: Caller): Promise<SelectedHits> {
    const { thread, gate } = this.places[request.websiteId % this.places.length]!;
    return gate.run(caller, () => thread.select(request, caller.signal, () => gate.isWantedByOthers(caller)));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.places.map(({ thread }) => thread.stop()));
  }
}
