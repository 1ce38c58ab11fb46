import type { Round } from '../../limits/round';
import type { WantedWebsite } from './followed.repository';

/** The others are for other owners. */
const OF_OWNER_AT_ONCE = 2;

/** Websites in the order in which they are read, in the time of a round, but at once only a few of one owner. */
export class DueWebsites {
  private readonly underWay: number[] = [];

  constructor(
    private readonly waiting: WantedWebsite[],
    private readonly round: Round,
  ) {}

  /** Undefined if only those of owners wait whose places are taken. Whoever leaves such a place takes the next one. */
  take(): WantedWebsite | undefined {
    const index = this.waiting.findIndex(
      (website) => this.placesOf(website.ownerId) < OF_OWNER_AT_ONCE && this.round.takes(website),
    );
    if (index === -1) return undefined;
    const [next] = this.waiting.splice(index, 1);
    this.underWay.push(next!.ownerId);
    return next;
  }

  leave({ ownerId }: WantedWebsite): void {
    this.underWay.splice(this.underWay.indexOf(ownerId), 1);
  }

  private placesOf(ownerId: number): number {
    return this.underWay.filter((own) => own === ownerId).length;
  }
}
