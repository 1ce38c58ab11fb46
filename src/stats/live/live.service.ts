import { Injectable } from '@nestjs/common';
import { bytesFor } from '../../common/byte-budget';
import { ByteCache } from '../../common/byte-cache';
import { DayClock } from '../../common/day-clock';
import type { Caller } from '../../common/gate';
import { NotFound } from '../../common/problem';
import { Settings } from '../../config/settings';
import { Database } from '../../database/database';
import { ReadGate } from '../../database/read-gate';
import { DIMENSIONS, type StatName } from '../../storage/dimensions';
import { Website } from '../../websites/website.entity';
import { seenBy, type Viewer } from '../viewer';
import type { Warning } from '../warnings';
import { LiveWebsite } from './live-reader';
import { type LiveCount, LiveVisitors, type LiveWindow } from './live-visitors';
import type {
  LiveAnswerView,
  LiveEntryView,
  LiveMetaView,
  LiveTotalsAnswerView,
  LiveView,
  LiveWindowView,
} from './live.view';

const FRESH_MS = 1000;
const MINUTES = 30;
/** Of the budget of all websites; the rest is for others that are looked at. */
const SHARE_OF_ONE = 0.75;
/** About what the minutes of an answer take; its values are those of the website. */
const BYTES_OF_ANSWER = 5000;

interface Kept {
  website: LiveWebsite;
  answer: LiveAnswerView;
  readAt: number;
}

const INCOMPLETE: Warning = {
  code: 'live_incomplete',
  detail:
    'The website has more events than are read at once; further ones of the last 30 minutes are still being read.',
};
const SAMPLED: Warning = {
  code: 'live_sampled',
  detail: 'There are more visitors than are kept at once, so the numbers are counted from a part of them.',
};

/** Who is on a website now. It is read once a second for all who ask, and not at all while nobody does. */
@Injectable()
export class LiveService {
  private readonly kept = new ByteCache<Kept>(
    'live',
    ({ website }) => BYTES_OF_ANSWER + website.visitors.bytes,
  );
  private readonly running = new Map<number, Promise<LiveAnswerView>>();
  private readonly clock: DayClock;

  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
  }

  async live(viewer: Viewer, websiteId: number, caller: Caller): Promise<LiveAnswerView> {
    await this.expectSeen(viewer, websiteId);
    const kept = this.kept.get(String(websiteId));
    if (kept && performance.now() - kept.readAt < FRESH_MS) return kept.answer;
    let running = this.running.get(websiteId);
    if (!running) {
      running = this.read(websiteId, caller).finally(() => this.running.delete(websiteId));
      this.running.set(websiteId, running);
    }
    return running;
  }

  /** What is shown to viewers of a shared page: lists could tell one visitor from others. */
  async totals(viewer: Viewer, websiteId: number, caller: Caller): Promise<LiveTotalsAnswerView> {
    const { data, meta } = await this.live(viewer, websiteId, caller);
    const { last_5_minutes, last_30_minutes, minutes } = data;
    const totals = {
      last_5_minutes: { visitors: last_5_minutes.visitors },
      last_30_minutes: { visitors: last_30_minutes.visitors },
      minutes,
    };
    return { data: totals, meta };
  }

  private async expectSeen(viewer: Viewer, websiteId: number): Promise<void> {
    const isSeen = await this.database.readQuick((manager) =>
      seenBy(
        manager
          .createQueryBuilder()
          .select('website.id', 'id')
          .from(Website, 'website')
          .where('website.id = :websiteId', { websiteId }),
        viewer,
      ).getRawOne<{ id: number }>(),
    );
    if (!isSeen) throw new NotFound('Website');
  }

  /** For all who wait, so it goes on when the first of them leaves. */
  private async read(websiteId: number, { owner }: Caller): Promise<LiveAnswerView> {
    const key = String(websiteId);
    const known = this.kept.get(key)?.website;
    // Who was left out while there were too many is read again once there is room.
    const website = known && !known.visitors.isSparse ? known : this.unread(websiteId);
    try {
      const asOf = await this.gate.read({ owner }, async (manager) => {
        const [row] = await manager.query<{ moment: number | string }[]>(
          `SELECT ${this.database.dialect.now} AS moment`,
        );
        const now = Number(row!.moment);
        await website.read(manager, now);
        return now;
      });
      const answer = { data: await dataOf(website), meta: this.metaOf(websiteId, website, asOf) };
      this.kept.set(key, { website, answer, readAt: performance.now() });
      return answer;
    } catch (error) {
      this.kept.delete(key);
      throw error;
    }
  }

  private unread(websiteId: number): LiveWebsite {
    const visitors = new LiveVisitors(SHARE_OF_ONE * bytesFor('live'));
    return new LiveWebsite(visitors, this.clock, websiteId);
  }

  private metaOf(websiteId: number, website: LiveWebsite, asOf: number): LiveMetaView {
    const warnings = [
      ...(website.isWhole ? [] : [INCOMPLETE]),
      ...(website.visitors.isSampled ? [SAMPLED] : []),
    ];
    return {
      website_id: websiteId,
      timezone: this.settings.timezone,
      as_of: new Date(asOf).toISOString(),
      ...(warnings.length > 0 && { warnings }),
    };
  }
}

async function dataOf({ visitors }: LiveWebsite): Promise<LiveView> {
  return {
    last_5_minutes: worded(await visitors.window('short')),
    last_30_minutes: worded(await visitors.window('long')),
    minutes: visitors.perMinute(MINUTES).map(({ minute, visitors }) => ({
      minute: new Date(minute * 60_000).toISOString(),
      visitors,
    })),
  };
}

function worded({ visitors, pages, referrers, countries }: LiveWindow): LiveWindowView {
  return {
    visitors,
    pages: entriesOf('page', pages),
    referrers: entriesOf('referrer', referrers),
    countries: entriesOf('country', countries),
  };
}

function entriesOf(name: StatName, counts: LiveCount[]): LiveEntryView[] {
  return counts.map(({ value, count }) => ({ value, label: DIMENSIONS[name].label(value), count }));
}
