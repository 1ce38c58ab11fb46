import type { SeenIf } from '../../../engine/hits/seen-if';
import { Privacy } from '../../websites/privacy/privacy';
import type { Asker } from '../../../engine/questions/asker';
import type { ResolvedFilter } from '../../../engine/questions/parse/filter';

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

/** Tells whether a viewer sees one name at a time, with small numbers merged. */
export function isLimited(viewer: Viewer): boolean {
  return viewer.as !== 'owner' && !viewer.mayFilter;
}

/** The condition for websites that the viewer may see at the moment of the read. */
function seenBy(viewer: Viewer): SeenIf {
  switch (viewer.as) {
    case 'owner':
      return { sql: 'website.user_id = ?', parameters: [viewer.userId] };
    case 'public':
      return { sql: `website.privacy = ${Privacy.Public}`, parameters: [] };
    case 'password':
      return {
        sql: `website.privacy = ${Privacy.Password} AND website.access_version = ?`,
        parameters: [viewer.accessVersion],
      };
  }
}

export function askerOf(viewer: Viewer): Asker {
  return {
    seenIf: seenBy(viewer),
    isOwner: viewer.as === 'owner',
    pageFilters: pageFiltersOf(viewer),
  };
}
