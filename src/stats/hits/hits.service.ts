import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { InvalidFields } from '../../common/errors';
import { ReadMemory } from '../../database/connections/read-memory';
import type { Span } from '../../storage/calendar';
import { bytesOfPart, type HitsOfDay, lateHits } from '../../storage/stored-days';
import { MAX_BYTES_READ_AT_ONCE } from '../../storage/batches/batches';
import { bytesOfVisitors } from '../../storage/encoding/visitor-numbers';
import { WebsitesService } from '../../websites/websites.service';
import { type Filter, filterOf, type ResolvedFilter } from '../queries/parse/filter';
import { QueriesRepository } from '../queries/queries.repository';
import { QueryThreads } from '../threads/query-threads';
import { askerOf, owner } from '../viewers/viewer';
import { WebsiteFilters } from '../website-filters';
import { type HitsRequest, StatisticsChanged } from './hits-reading';

/** Exports stored hits. */
@Injectable()
export class HitsService {
  constructor(
    private readonly websites: WebsitesService,
    private readonly memory: ReadMemory,
    private readonly threads: QueryThreads,
    private readonly hitQueries: QueriesRepository,
    private readonly filters: WebsiteFilters,
  ) {}

  /** The days to read. Hits that are counted later are not included. */
  async days(ownerId: number, websiteId: number, range: Span, caller: Caller): Promise<HitsOfDay[]> {
    if (range.from > range.to) throw new InvalidFields({ to: ['must not be before "from"'] });
    await this.websites.show(ownerId, websiteId);
    return this.threads.answer('hitDays', { websiteId, range }, caller);
  }

  /** What a filter stands for. Undefined if all hits are exported. */
  async filtersOf(
    ownerId: number,
    websiteId: number,
    filter: string | undefined,
  ): Promise<ResolvedFilter[] | undefined> {
    const { filters } = await this.filters.filtered(owner(ownerId), websiteId, { filter });
    return filters;
  }

  /** The hits of some days as lines of a file, in pieces. */
  async *pieces(
    ownerId: number,
    websiteId: number,
    days: HitsOfDay[],
    filters: ResolvedFilter[] | undefined,
    type: string,
    caller: Caller,
  ): AsyncGenerator<Uint8Array> {
    const selects = filters && filterOf(filters);
    const most = days.reduce((hits, day) => Math.max(hits, day.hits), 0);
    const part = days.reduce((bytes, day) => Math.max(bytes, bytesOfPart(day)), 0);
    const late = days.reduce((hits, day) => Math.max(hits, lateHits(day)), 0);
    const visitors = bytesOfVisitors(most) + bytesOfVisitors(late);
    const memory = this.memory.reserve(caller, MAX_BYTES_READ_AT_ONCE + part + visitors + most);
    const signals = caller.signal ? [caller.signal, memory.signal] : [memory.signal];
    const reading = { ...caller, signal: AbortSignal.any(signals) };
    const { seenIf } = askerOf(owner(ownerId));
    yield* memory.offer(this.hitsOf({ seenIf, websiteId, type }, days, selects, reading));
  }

  private async *hitsOf(
    requested: Pick<HitsRequest, 'seenIf' | 'websiteId' | 'type'>,
    days: HitsOfDay[],
    selects: Filter | undefined,
    caller: Caller,
  ): AsyncGenerator<Uint8Array> {
    const { websiteId } = requested;
    for (const listed of days) {
      const day = await this.currentDay(websiteId, listed, caller);
      const selected = selects && (await this.select(websiteId, day, selects, caller));
      if (selected && !selected.includes(1)) continue;
      const request = { ...requested, day, selected };
      yield* this.threads.list('hits', request, caller) as AsyncGenerator<Uint8Array>;
    }
  }

  /** The current place of a day, which may have been sealed while earlier days were sent. */
  private async currentDay(websiteId: number, listed: HitsOfDay, caller: Caller): Promise<HitsOfDay> {
    if (listed.columns) return listed;
    const range = { from: listed.day, to: listed.day };
    const [now] = await this.threads.continue('hitDays', { websiteId, range }, caller);
    if (!now?.columns) return listed;
    // Later hits cannot be told apart from the listed ones.
    if (now.columns.hits !== listed.hits) throw new StatisticsChanged();
    return { ...now, hits: listed.hits };
  }

  /** One for each hit of a day that is exported, else zero. */
  private async select(
    websiteId: number,
    { day, columns }: HitsOfDay,
    filter: Filter,
    caller: Caller,
  ): Promise<Uint8Array> {
    const { selected, inColumns } = await this.hitQueries.select({ websiteId, day, filter }, caller);
    // Sealing changes the order of hits.
    if (inColumns !== (columns?.hits ?? 0)) throw new StatisticsChanged();
    return selected;
  }
}
