import { Injectable } from '@nestjs/common';
import { ByteCache, bytesOfText } from '../../../engine/ground/memory/byte-cache';
import { Settings } from '../../config/settings';
import { DIMENSIONS, type StatName } from '../../../engine/hits/stat-names';
import { SharedCalendar } from '../shared/shared-calendar';
import { roundedDown } from '../../../engine/questions/viewers/small-numbers';
import { StatsRepository } from '../stats.repository';
import { askerOf, isLimited, pageFiltersOf, type Viewer } from '../viewers/viewer';
import type { Warning } from '../warnings';
import type { LiveCount, LiveNumbers, LiveRequest, LiveWindow } from '../../../engine/questions/live-numbers';
import type {
  LiveAnswerView,
  LiveEntryView,
  LiveMetaView,
  LiveTotalsAnswerView,
  LiveView,
  LiveWindowView,
} from './live.view';
import { HitStore } from '../../../engine/port';

const FRESH_MS = 1000;
/** The memory of an answer besides its texts. */
const BYTES_OF_ANSWER = 15_000;
interface CachedAnswer {
  answer: LiveAnswerView;
  readAt: number;
}

const INCOMPLETE: Warning = {
  code: 'live_incomplete',
  detail: 'The website has more events in the last 30 minutes than the limit; the earliest are left out.',
};

/** The live visitors of websites. They are read once a second for all callers, and only while somebody asks. */
@Injectable()
export class LiveService {
  private readonly cache = new ByteCache<CachedAnswer>('liveAnswers', ({ answer }) => bytesOf(answer));
  /** By request: a read that fails for some viewers must not fail for others. */
  private readonly running = new Map<string, Promise<LiveAnswerView>>();

  constructor(
    private readonly stats: StatsRepository,
    private readonly store: HitStore,
    private readonly calendar: SharedCalendar,
    private readonly settings: Settings,
  ) {}

  async live(viewer: Viewer, websiteId: number): Promise<LiveAnswerView> {
    const request = { seenIf: askerOf(viewer).seenIf, websiteId };
    const key = JSON.stringify(request);
    const known = () => this.fresh(websiteId) ?? this.running.get(key);
    // Only a new read looks itself whether the viewer sees the website.
    if (known()) await this.stats.expectSeen(viewer, websiteId);
    return known() ?? this.begin(key, viewer, request);
  }

  /** Reads for all waiting callers. It continues if the first caller leaves. */
  private begin(key: string, viewer: Viewer, request: LiveRequest): Promise<LiveAnswerView> {
    const running = this.read(viewer, request).finally(() => this.running.delete(key));
    this.running.set(key, running);
    return running;
  }

  private fresh(websiteId: number): LiveAnswerView | undefined {
    const cache = this.cache.get(String(websiteId));
    return cache && performance.now() - cache.readAt < FRESH_MS ? cache.answer : undefined;
  }

  /**
   * The totals for viewers of a shared page. Lists could reveal single visitors. Live hits are not filtered, so a page
   * that is limited to a filter has none.
   */
  async totals(viewer: Viewer, websiteId: number): Promise<LiveTotalsAnswerView> {
    if (pageFiltersOf(viewer)) return this.none(viewer, websiteId);
    const { data, meta } = await this.live(viewer, websiteId);
    const { last_5_minutes, last_30_minutes, minutes } = data;
    const shown = isLimited(viewer) ? roundedDown : (visitors: number) => visitors;
    const totals = {
      last_5_minutes: { visitors: shown(last_5_minutes.visitors) },
      last_30_minutes: { visitors: shown(last_30_minutes.visitors) },
    };
    if (!isLimited(viewer)) return { data: { ...totals, minutes }, meta };
    const { startOfToday } = await this.calendar.now();
    const asOf = Math.min(startOfToday, Date.parse(meta.as_of));
    return { data: totals, meta: { ...meta, as_of: new Date(asOf).toISOString() } };
  }

  private async none(viewer: Viewer, websiteId: number): Promise<LiveTotalsAnswerView> {
    await this.stats.expectSeen(viewer, websiteId);
    const { startOfToday } = await this.calendar.now();
    return { data: {}, meta: this.metaOf(websiteId, { asOf: startOfToday, isWhole: true }) };
  }

  /**
   * The looks of one user, and those of all viewers of shared pages, share places of their own, so that they take no
   * other query's turn.
   */
  private async read(viewer: Viewer, request: LiveRequest): Promise<LiveAnswerView> {
    const { websiteId } = request;
    const owner = viewer.as === 'owner' ? `live of ${viewer.userId}` : 'live of viewers';
    const numbers = await this.store.ask('live', request, { owner });
    const answer = { data: viewOf(numbers), meta: this.metaOf(websiteId, numbers) };
    this.cache.set(String(websiteId), { answer, readAt: performance.now() });
    return answer;
  }

  private metaOf(websiteId: number, { asOf, isWhole }: Pick<LiveNumbers, 'asOf' | 'isWhole'>): LiveMetaView {
    return {
      website_id: websiteId,
      timezone: this.settings.timezone,
      as_of: new Date(asOf).toISOString(),
      ...(!isWhole && { warnings: [INCOMPLETE] }),
    };
  }
}

function viewOf({ short, long, minutes }: LiveNumbers): LiveView {
  return {
    last_5_minutes: worded(short),
    last_30_minutes: worded(long),
    minutes: minutes.map(({ minute, visitors }) => ({
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

function bytesOf({ data: { last_5_minutes, last_30_minutes } }: LiveAnswerView): number {
  const lists = [last_5_minutes, last_30_minutes].flatMap((own) => [own.pages, own.referrers, own.countries]);
  const texts = lists.flat().flatMap(({ value, label }) => [value, label]);
  return texts.reduce((sum, text) => sum + bytesOfText(text), BYTES_OF_ANSWER);
}
