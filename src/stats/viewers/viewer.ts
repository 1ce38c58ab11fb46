import type { SelectQueryBuilder } from 'typeorm';
import { Privacy, type Website } from '../../websites/website.entity';

/** Who reads the statistics of a website: its owner, anyone while it is public, or who gave its password. */
export type Viewer =
  | { as: 'owner'; userId: number }
  | { as: 'public'; mayFilter: boolean }
  /** The state of the website's access (`accessVersion`) in which the password was given. */
  | { as: 'password'; accessVersion: number; mayFilter: boolean };

export const owner = (userId: number): Viewer => ({ as: 'owner', userId });

/** Whether a viewer sees one name at a time, and small numbers together. */
export function isLimited(viewer: Viewer): boolean {
  return viewer.as !== 'owner' && !viewer.mayFilter;
}

/** Leaves nothing of a website to who may not see it at the moment of the read. */
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
