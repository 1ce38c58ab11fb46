import type { Asker } from '../../engine/questions/asker';

/** A user who asks about websites of their own. */
export function ownerAsks(userId: number): Asker {
  return {
    seenIf: { sql: 'website.user_id = ?', parameters: [userId] },
    isOwner: true,
    pageFilters: undefined,
  };
}
