import type { WantedWebsite } from './followed.repository';

/** The others are for other users. */
const OF_USER_AT_ONCE = 2;

/** Websites in the order in which they are read, but at once only a few of one user. */
export class DueWebsites {
  private readonly underWay: number[] = [];

  constructor(private readonly waiting: WantedWebsite[]) {}

  /** Undefined if only those of users wait whose places are taken. Whoever leaves such a place takes the next one. */
  take(): WantedWebsite | undefined {
    const index = this.waiting.findIndex(({ userId }) => this.placesOf(userId) < OF_USER_AT_ONCE);
    if (index === -1) return undefined;
    const [next] = this.waiting.splice(index, 1);
    this.underWay.push(next!.userId);
    return next;
  }

  leave({ userId }: WantedWebsite): void {
    this.underWay.splice(this.underWay.indexOf(userId), 1);
  }

  private placesOf(userId: number): number {
    return this.underWay.filter((own) => own === userId).length;
  }
}
