import type { Answer, Query, Schemas } from './operations.ts';
import type { CallOptions } from './request.ts';
import { Resources } from './resources.ts';

type FiringsQuery = Query<'listAlertFirings'>;

/** The alerts of a website, and when they fired. */
export class Alerts extends Resources<'Alert'> {
  firings(websiteId: number, id: number, query?: FiringsQuery, options?: CallOptions) {
    return this.service.send<Answer<'listAlertFirings'>>(`${this.pathOf(websiteId, id)}/firings`, {
      ...(query && { query }),
      ...options,
    });
  }

  /** All of the last 90 days, page by page, the latest first. */
  allFirings(
    websiteId: number,
    id: number,
    query?: Omit<FiringsQuery, 'page'>,
    options?: CallOptions,
  ): AsyncGenerator<Schemas['Firing']> {
    return this.service.pages(`${this.pathOf(websiteId, id)}/firings`, query ?? {}, options);
  }
}
