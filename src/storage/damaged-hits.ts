import { dayText } from '../common/time/days';
import { Problem } from '../common/problem';

/** What is stored of hits cannot be trusted. It is never read around: an answer without it would be wrong. */
export abstract class DamagedHits extends Problem {
  constructor(detail: string) {
    super(500, 'damaged_columns', detail);
  }
}

/** What is stored of the hits of a day. */
export abstract class DamagedDay extends DamagedHits {
  constructor(
    websiteId: number,
    readonly day: number,
    where: string,
  ) {
    super(
      `The kept hits of ${dayText(day)} are damaged (website ${websiteId}, ${where}). Restore them from a backup.`,
    );
  }
}

/** A fault kept a day from becoming columns until its visitors had to be forgotten: they cannot be counted any more. */
export class ForgottenDay extends DamagedHits {
  constructor(websiteId: number, day: number) {
    super(
      `The visitors of ${dayText(day)} were forgotten before its hits became columns (website ${websiteId}). Its statistics cannot be compared with its hits.`,
    );
  }
}

/** Hits that are not counted yet. */
export class DamagedInboxRow extends DamagedHits {
  constructor(websiteId: number, id: number) {
    super(
      `Row ${id} of the inbox is damaged (website ${websiteId}). Until it is restored or removed, no further events of the website are counted.`,
    );
  }
}

/** What is stored of rollups cannot be trusted. It is never read around: a sum without it would be wrong. */
export abstract class DamagedRollups extends Problem {
  constructor(what: string) {
    super(500, 'damaged_segment', `${what} "stats rebuild" counts them again.`);
  }
}
