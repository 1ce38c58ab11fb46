import type { SelectQueryBuilder } from 'typeorm';
import { Privacy, type Website } from '../websites/website.entity';

/** Who reads the statistics of a website: its owner, anyone while it is public, or who gave its password. */
export type Viewer =
  | { as: 'owner'; userId: number }
  | { as: 'public' }
  /** The state of the website's access (`accessVersion`) in which the password was given. */
  | { as: 'password'; accessVersion: number };

export const owner = (userId: number): Viewer => ({ as: 'owner', userId });

/** Leaves nothing of a website to who may not see it at the moment of the read. */
export function seenBy(query: SelectQueryBuilder<Website>, viewer: Viewer): SelectQueryBuilder<Website> {
  switch (viewer.as) {
    case 'owner':
      return query.andWhere('website.userId = :userId', viewer);
    case 'public':
      return query.andWhere(`website.privacy = ${Privacy.Public}`);
    case 'password':
      return query.andWhere(
        `website.privacy = ${Privacy.Password} AND website.accessVersion = :accessVersion`,
        viewer,
      );
  }
}
