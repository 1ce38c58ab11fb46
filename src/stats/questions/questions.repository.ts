import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { Database } from '../../database/database';
import { RetentionClock } from '../../retention/retention-clock';
import { firstDayWithHits } from '../../storage/kept-hits';
import type { Question, QuestionResult, SelectedHits, SelectionRequest } from './plan/question';
import { QueryThreads } from '../threads/query-threads';
import type { Viewer } from '../viewers/viewer';

/** Has questions answered by threads: the event loop scans no hits. */
@Injectable()
export class QuestionsRepository {
  constructor(
    private readonly threads: QueryThreads,
    private readonly clock: RetentionClock,
    private readonly database: Database,
  ) {}

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
  ask(
    viewer: Viewer,
    websiteId: number,
    caller: Caller,
    keptFrom: number,
    questions: Question[],
  ): Promise<QuestionResult> {
    const request = { viewer, websiteId, keptFrom, questions };
    return this.threads.scan('questions', request, caller);
  }

  /** Which hits of a day a filter selects. */
  select(request: SelectionRequest, caller: Caller): Promise<SelectedHits> {
    return this.threads.scan('selection', request, caller);
  }
}
