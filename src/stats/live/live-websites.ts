import { ByteCache } from '../../common/byte-cache';
import { bytesFor } from '../../common/byte-budget';
import type { DayClock } from '../../common/day-clock';
import type { Database } from '../../database/database';
import { LiveWebsite } from './live-reader';
import { type LiveMinute, LiveVisitors, type LiveWindow } from './live-visitors';

const MINUTES = 30;
/** Of the budget of all websites; the rest is for others that are looked at. */
const SHARE_OF_ONE = 0.9;

/** Who is on a website at a moment. */
export interface LiveNumbers {
  asOf: number;
  /** Whether all hits of late were read. */
  isWhole: boolean;
  /** Whether they are counted from a part of the visitors. */
  isSampled: boolean;
  short: LiveWindow;
  long: LiveWindow;
  minutes: LiveMinute[];
}

/** The websites that are looked at. */
export class LiveWebsites {
  private readonly kept = new ByteCache<LiveWebsite>('live', ({ visitors }) => visitors.bytes);

  constructor(
    private readonly database: Database,
    private readonly clock: DayClock,
  ) {}

  async look(websiteId: number, patienceMs: number): Promise<LiveNumbers> {
    const key = String(websiteId);
    const known = this.kept.get(key);
    this.kept.delete(key);
    // Who was left out while there were too many is read again once there is room.
    const website = known && !known.visitors.isSparse ? known : this.unread(websiteId);
    const asOf = await this.database.read(async (manager) => {
      const [row] = await manager.query<{ moment: number | string }[]>(
        `SELECT ${this.database.dialect.now} AS moment`,
      );
      const now = Number(row!.moment);
      await website.read(manager, now);
      return now;
    }, patienceMs);
    const { visitors, isWhole } = website;
    const [short, long] = [visitors.window('short'), visitors.window('long')];
    this.kept.set(key, website);
    return {
      asOf,
      isWhole,
      isSampled: visitors.isSampled,
      short,
      long,
      minutes: visitors.perMinute(MINUTES),
    };
  }

  private unread(websiteId: number): LiveWebsite {
    const visitors = new LiveVisitors(SHARE_OF_ONE * bytesFor('live'));
    return new LiveWebsite(visitors, this.clock, websiteId);
  }
}
