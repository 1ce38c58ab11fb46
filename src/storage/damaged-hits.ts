import { dayText } from '../common/days';
import { Problem } from '../common/problem';

/** What is stored of the hits of a day cannot be trusted. It is never read around: an answer without it would be wrong. */
export abstract class DamagedHits extends Problem {
  constructor(websiteId: number, day: number, where: string) {
    super(
      500,
      'damaged_columns',
      `The kept hits of ${dayText(day)} are damaged (website ${websiteId}, ${where}). Restore them from a backup.`,
    );
  }
}
