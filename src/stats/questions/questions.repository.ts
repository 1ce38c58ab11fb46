import { availableParallelism } from 'node:os';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type Caller, Gate } from '../../common/gate';
import { Settings } from '../../config/settings';
import { Database } from '../../database/database';
import { RetentionClock } from '../../retention/retention-clock';
import { firstDayWithHits } from '../../storage/kept-hits';
import type { Question, QuestionResult, SelectedHits, SelectionRequest } from './question';
import { type Asking, QuestionThread } from './question-thread';
import type { PortionOffer } from './thread-messages';
import type { Viewer } from '../viewer';

const MAX_THREADS = 4;
/** Fewer are scanned as soon by one thread as by two. */
const LEAST_SHARED_HITS = 500_000;
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
    const threads = Math.min(MAX_THREADS, availableParallelism());
    this.places = Array.from({ length: threads }, () => ({
      thread: new QuestionThread({ address, timezone, cacheMb, threads, leastShared: LEAST_SHARED_HITS }),
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
    const request = { viewer, websiteId, keptFrom, questions };
    return this.inTurn(websiteId, caller, (thread, asking) => thread.ask(request, asking));
  }

  /** Which hits of a day a filter selects. */
  select(request: SelectionRequest, caller: Caller): Promise<SelectedHits> {
    return this.inTurn(request.websiteId, caller, (thread, asking) => thread.select(request, asking));
  }

  private inTurn<T>(
    websiteId: number,
    caller: Caller,
    work: (thread: QuestionThread, asking: Asking) => Promise<T>,
  ): Promise<T> {
    const own = this.places[websiteId % this.places.length]!;
    return own.gate.run(caller, async () => {
      const ended = new AbortController();
      const others = this.places.filter((place) => place !== own);
      const share = (offer: PortionOffer) => {
        const other = others.shift();
        if (other) void scannedBy(other, offer, { owner: caller.owner, signal: ended.signal });
      };
      const doOthersWait = () => this.places.some(({ gate }) => gate.isWantedByOthers(caller));
      try {
        return await work(own.thread, { signal: caller.signal, doOthersWait, share });
      } finally {
        ended.abort();
      }
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.places.map(({ thread }) => thread.stop()));
  }
}

/** Waits for a place as a part of a question that has one; until then the thread that offers it may do it itself. */
async function scannedBy({ thread, gate }: Place, offer: PortionOffer, caller: Caller): Promise<void> {
  try {
    await gate.continue(caller, () => thread.scan(offer));
  } catch {
    offer.port.close();
  }
}
