import { dayText } from '../ground/time/days';
import { Problem } from '../ground/errors';

/** Stored hits are damaged. Readers never skip them: the answer would be wrong. */
export abstract class DamagedHits extends Problem {
  constructor(detail: string) {
    super('damaged_columns', detail);
  }
}

/** The stored hits of a day are damaged. */
export abstract class DamagedDay extends DamagedHits {
  constructor(
    websiteId: number,
    readonly day: number,
    where: string,
  ) {
    super(
      `The stored hits of ${dayText(day)} are damaged (website ${websiteId}, ${where}). Restore them from a backup.`,
    );
  }
}

/** A fault delayed the sealing of a day until its visitors had to be forgotten. They can no longer be counted. */
export class ForgottenDay extends DamagedHits {
  constructor(websiteId: number, day: number) {
    super(
      `The visitors of ${dayText(day)} were forgotten before its hits became columns (website ${websiteId}). Its statistics cannot be compared with its hits.`,
    );
  }
}

/** Hits in the inbox are damaged. */
export class DamagedInboxRow extends DamagedHits {
  constructor(websiteId: number, id: number) {
    super(
      `Row ${id} of the inbox is damaged (website ${websiteId}). Until it is restored or removed, no further events of the website are counted.`,
    );
  }
}

/** Stored rollups are damaged. Readers never skip them: the sum would be wrong. */
export abstract class DamagedRollups extends Problem {
  constructor(what: string) {
    super('damaged_segment', `${what} "stats rebuild" counts them again.`);
  }
}
