import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../engine/ground/gate';
import { InvalidFields } from '../../../engine/ground/errors';
import type { Span } from '../../../engine/hits/calendar';
import { filterOf, type ResolvedFilter } from '../../../engine/questions/parse/filter';
import { askerOf, owner } from '../viewers/viewer';
import { WebsiteFilters } from '../website-filters';
import type { HitsVersion } from '../../../engine/questions/hits-request';
import { HitStore } from '../../../engine/port';

/** Exports stored hits. */
@Injectable()
export class HitsService {
  constructor(
    private readonly store: HitStore,
    private readonly filters: WebsiteFilters,
  ) {}

  /** What there is to export. Hits that are counted later are not included. */
  async version(ownerId: number, websiteId: number, range: Span, caller: Caller): Promise<HitsVersion> {
    if (range.from > range.to) throw new InvalidFields({ to: ['must not be before "from"'] });
    const { seenIf } = askerOf(owner(ownerId));
    return this.store.ask('hitsVersion', { seenIf, websiteId, range }, caller);
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

  /** The hits as lines of a file, in pieces. */
  pieces(
    ownerId: number,
    websiteId: number,
    version: HitsVersion,
    filters: ResolvedFilter[] | undefined,
    type: string,
    caller: Caller,
  ): AsyncGenerator<Uint8Array> {
    const { seenIf } = askerOf(owner(ownerId));
    const request = { seenIf, websiteId, version, filter: filters && filterOf(filters), type };
    return this.store.list('hits', request, caller) as AsyncGenerator<Uint8Array>;
  }
}
