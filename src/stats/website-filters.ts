import { Injectable } from '@nestjs/common';
import { Definitions, isResolved, resolve, type WebsiteDefinitions } from '../goals/definitions';
import { countedGoals, countsGoals } from './queries/counted-goals';
import type { FilterJson, ResolvedFilter } from '../../engine/questions/parse/filter';
import { parseFilterSyntax } from '../../engine/questions/parse/filter-syntax';
import type { RequestedQuery } from '../../engine/questions/parse/query-body';
import type { CountedGoals } from '../../engine/questions/plan/hit-query';
import type { Filtered } from '../../engine/questions/range-query';
import { StatsRepository } from './stats.repository';
import { pageFiltersOf, type Viewer } from './viewers/viewer';

/** What a query selects, and the goals that it counts. */
export interface ResolvedQuery {
  filters: ResolvedFilter[];
  goals: CountedGoals | undefined;
}

/** Filters, and the place that errors name. With `asText`, their parts have no places. */
export interface SentFilters {
  filters: FilterJson[];
  path: string;
  asText?: boolean;
}

const NOTHING: WebsiteDefinitions = { goals: [], saved: new Map() };

/** Writes out the goals and saved filters in the filters of requests. */
@Injectable()
export class WebsiteFilters {
  constructor(
    private readonly stats: StatsRepository,
    private readonly definitions: Definitions,
  ) {}

  /** The definitions of a website that the viewer sees. */
  async definitionsFor(viewer: Viewer, websiteId: number): Promise<WebsiteDefinitions> {
    await this.stats.expectSeen(viewer, websiteId);
    return this.definitions.read(websiteId);
  }

  /** Tells whether the website's shared page is limited to a saved filter. */
  isLimited(websiteId: number): Promise<boolean> {
    return this.definitions.isPageLimited(websiteId);
  }

  /** The viewer, limited to the saved filter that the website's page is limited to. */
  async limited(viewer: Viewer, websiteId: number): Promise<Viewer> {
    if (viewer.as === 'owner') return viewer;
    const filters = await this.definitions.readPageFilters(websiteId);
    return filters ? { ...viewer, filters } : viewer;
  }

  async filtered<Q extends { filter?: string | undefined }>(
    viewer: Viewer,
    websiteId: number,
    query: Q,
  ): Promise<Filtered<Q>> {
    const ofPage = pageFiltersOf(viewer);
    if (query.filter === undefined) return ofPage ? { ...query, filters: ofPage } : query;
    const filters = parseFilterSyntax(query.filter);
    const resolved = isResolved(filters)
      ? filters
      : resolve(filters, await this.definitionsFor(viewer, websiteId), 'filter', { asText: true });
    return { ...query, filters: [...(ofPage ?? []), ...resolved] };
  }

  /** Several filters, by one reading of the definitions, if these are not known yet. */
  async resolveAll(
    viewer: Viewer,
    websiteId: number,
    sent: readonly SentFilters[],
    known?: WebsiteDefinitions,
  ): Promise<ResolvedFilter[][]> {
    let definitions = known;
    const resolved: ResolvedFilter[][] = [];
    for (const { filters, path, asText = false } of sent) {
      if (!isResolved(filters)) definitions ??= await this.definitionsFor(viewer, websiteId);
      const own = isResolved(filters) ? filters : resolve(filters, definitions!, path, { asText });
      resolved.push([...(pageFiltersOf(viewer) ?? []), ...own]);
    }
    return resolved;
  }

  /** The filters and goals of several queries, by one reading of the definitions. */
  async resolveQueries(
    viewer: Viewer,
    websiteId: number,
    requested: RequestedQuery[],
    pathOf: (index: number) => string,
  ): Promise<ResolvedQuery[]> {
    const areNeeded = requested.some((one) => countsGoals(one) || !isResolved(one.filters));
    const definitions = areNeeded ? await this.definitionsFor(viewer, websiteId) : NOTHING;
    const ofPage = pageFiltersOf(viewer) ?? [];
    return requested.map((one, index) => {
      const written = (filters: FilterJson[]) => [
        ...ofPage,
        ...(isResolved(filters) ? filters : resolve(filters, definitions, `${pathOf(index)}filters`)),
      ];
      return { filters: written(one.filters), goals: countedGoals(one, definitions, written) };
    });
  }
}
