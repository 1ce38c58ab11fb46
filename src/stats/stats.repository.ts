import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/gate';
import { Database } from '../database/database';
import type { Span } from '../storage/calendar';
import type { StatEntryView } from './dto/stats.view';
import type { PlainRequest, PlainResult, WholeRequest } from './plain/plain-request';
import type { ShownRequest, ShownResult } from './shared/shown-in';
import { type DataVersion, standing, versionOfDays } from './state';
import { QueryThreads } from './threads/query-threads';
import type { Viewer } from './viewer';

/** Has what is asked about the fourteen names answered by threads, each answer of one moment. */
@Injectable()
export class StatsRepository {
  constructor(
    private readonly database: Database,
    private readonly threads: QueryThreads,
  ) {}

  /** What answers about some days depend on now, and the first day that may lie wholly in the archive. */
  async version(
    viewer: Viewer,
    websiteId: number,
    ranges: Span[],
  ): Promise<{ version: DataVersion; archivedFrom: number }> {
    const { state } = await this.database.readQuick((manager) =>
      standing(this.database, manager, viewer, websiteId),
    );
    return { version: versionOfDays(state, ranges), archivedFrom: state.archivedFrom };
  }

  answer(request: PlainRequest, caller: Caller): Promise<PlainResult> {
    return this.threads.answer('plain', request, caller);
  }

  /** As viewers of a shared page see it. */
  shown(request: ShownRequest, caller: Caller): Promise<ShownResult> {
    return this.threads.answer('shown', request, caller);
  }

  whole(request: WholeRequest, caller: Caller): AsyncGenerator<StatEntryView[]> {
    return this.threads.list('whole', request, caller) as AsyncGenerator<StatEntryView[]>;
  }
}
