import type { SelectQueryBuilder } from 'typeorm';
import { Privacy } from '../../websites/privacy/privacy';
import type { Website } from '../../websites/website.entity';
import type { ResolvedFilter } from '../queries/parse/filter';

/** The reader of a website's statistics: the owner, anyone if they are public, or a holder of the password. */
export type Viewer =
  | { as: 'owner'; userId: number }
  | ({ as: 'public' } & OfPage)
  /** The state of the website's access (`accessVersion`) in which the password was given. */
  | ({ as: 'password'; accessVersion: number } & OfPage);

/** What a shared page lets its viewers see. */
interface OfPage {
  mayFilter: boolean;
  /** The saved filter that the page is limited to. */
  filters?: ResolvedFilter[] | undefined;
}

/** What every answer for the viewer is limited to. */
export function pageFiltersOf(viewer: Viewer): ResolvedFilter[] | undefined {
  return viewer.as === 'owner' ? undefined : viewer.filters;
}

export type Owner = Extract<Viewer, { as: 'owner' }>;
export const owner = (userId: number): Owner => ({ as: 'owner', userId });

/** Whether a viewer sees one name at a time, with small numbers merged. */
export function isLimited(viewer: Viewer): boolean {
  return viewer.as !== 'owner' && !viewer.mayFilter;
}

/** Limits a query to websites that the viewer may see at the moment of the read. */
export function seenBy(query: SelectQueryBuilder<Website>, viewer: Viewer): SelectQueryBuilder<Website> {
  switch (viewer.as) {
    case 'owner':
      return query.andWhere('website.userId = :userId', { userId: viewer.userId });
    case 'public':
      return query.andWhere(`website.privacy = ${Privacy.Public}`);
    case 'password':
      return query.andWhere(
        `website.privacy = ${Privacy.Password} AND website.accessVersion = :accessVersion`,
        { accessVersion: viewer.accessVersion },
      );
  }
}
