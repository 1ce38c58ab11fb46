import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../engine/database/database';
import { SHORT_LIVE_WINDOW_S } from '../../engine/hits/rules/live-window';
import { Problem } from '../../engine/ground/errors';
import { type Caller, Gate } from '../../engine/ground/gate';
import type { Measured } from '../../engine/ground/measures';
import { ByteCache } from '../../engine/ground/memory/byte-cache';
import { DayClock } from '../../engine/ground/time/day-clock';
import type { ApiKey } from '../auth/api-key.entity';
import { statusOf, willPass } from '../common/problems';
import { Settings } from '../config/settings';
import { LiveService } from '../stats/live/live.service';
import { QueriesService } from '../stats/queries/queries.service';
import { StatsService } from '../stats/stats.service';
import { owner, type Owner } from '../stats/viewers/viewer';
import { metricsText } from './metrics-text';
import { type MeasuredWebsite, WebsiteMetricsRepository } from './website-metrics.repository';

const MAX_WEBSITES = 1000;
/** Conversions are counted from hits. */
const MAX_WITH_GOALS = 100;
const FRESH_MS = 30_000;
/** The answer about a thousand websites has some 300 kB. */
const MAX_BYTES = 16 * 1024 * 1024;
const LIMITS = { running: 4, runningOfOwner: 1, waiting: 32, waitingOfOwner: 8, patienceMs: 10_000 };

const HELP = {
  website_visitors_now: 'Visitors in the last 5 minutes.',
  website_visitors_today: 'Visitors of today.',
  website_pageviews_today: 'Page views of today.',
  website_conversions_today: 'Conversions of today, of all goals.',
} as const;
type Name = keyof typeof HELP;
type Numbers = Partial<Record<Name, number>>;

/** The numbers of a user's websites, for Prometheus. */
@Injectable()
export class WebsiteMetricsService {
  private readonly clock: DayClock;
  private readonly gate = new Gate(LIMITS);
  private readonly made = new ByteCache<Buffer>({ maxBytes: MAX_BYTES }, ({ length }) => length, FRESH_MS);
  private readonly running = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly websites: WebsiteMetricsRepository,
    private readonly stats: StatsService,
    private readonly live: LiveService,
    private readonly queries: QueriesService,
    private readonly database: Database,
    { timezone }: Settings,
  ) {
    this.clock = new DayClock(timezone);
  }

  /** Made once for all who may see the same websites, for a while. It continues if the first caller leaves. */
  async text({ userId, websites: only }: Pick<ApiKey, 'userId' | 'websites'>): Promise<Buffer> {
    const websites = await this.websites.find(userId, only, MAX_WEBSITES + 1);
    const seen = websites.map(({ id, domain }) => [id, domain]);
    const key = `${userId} ${createHash('sha256').update(JSON.stringify(seen)).digest('base64')}`;
    return this.made.get(key) ?? this.running.get(key) ?? this.begin(key, userId, websites);
  }

  private begin(key: string, userId: number, websites: MeasuredWebsite[]): Promise<Buffer> {
    const making = this.gate.run({ owner: userId }, () => this.make(userId, websites));
    const running = making
      .then((text) => {
        this.made.set(key, text);
        return text;
      })
      .finally(() => this.running.delete(key));
    this.running.set(key, running);
    return running;
  }

  private async make(userId: number, found: MeasuredWebsite[]): Promise<Buffer> {
    const websites = found.slice(0, MAX_WEBSITES);
    const now = await this.database.now();
    const today = this.clock.dayOf(now);
    const isNew = this.clock.dayOf(now - 1000 * SHORT_LIVE_WINDOW_S) < today;
    const hasMany = await this.websites.haveMoreGoalsThan(userId, MAX_WITH_GOALS);
    const numbers = new Map<string, Numbers>();
    let late = 0;
    for (const website of websites) {
      const goals = website.hasGoals && !hasMany;
      const own = await this.numbersOf(owner(userId), website.id, { today, isNew }, goals).catch(
        unlessPassing,
      );
      if (own === 'late') late++;
      else if (own !== 'gone') numbers.set(website.domain, own);
    }
    const comments = [
      ...(found.length > MAX_WEBSITES ? [`Only the first ${MAX_WEBSITES} websites are listed.`] : []),
      ...(hasMany ? [`More than ${MAX_WITH_GOALS} websites have goals, so conversions are left out.`] : []),
      ...(late > 0 ? [`${late} websites are left out, because the service is busy.`] : []),
    ];
    const text = await metricsText(measuresOf(numbers));
    return Buffer.from(text + comments.map((comment) => `# ${comment}\n`).join(''));
  }

  private async numbersOf(
    viewer: Owner,
    id: number,
    { today, isNew }: { today: number; isNew: boolean },
    countsGoals: boolean,
  ): Promise<Numbers> {
    const caller: Caller = { owner: viewer.userId };
    const query = { names: ['visitor' as const, 'pageview' as const], from: today, to: today };
    const { result } = await this.stats.summarise(
      viewer,
      id,
      { ...query, fill: false, per_page: 10 },
      caller,
    );
    const [visitors, pageviews] = result!.summaries.map(({ sum }) => sum);
    return {
      website_visitors_now: visitors === 0 && !isNew ? 0 : await this.visitorsNow(viewer, id),
      website_visitors_today: visitors!,
      website_pageviews_today: pageviews!,
      ...(countsGoals && { website_conversions_today: await this.conversions(viewer, id, caller) }),
    };
  }

  private async visitorsNow(viewer: Owner, id: number): Promise<number> {
    return (await this.live.live(viewer, id)).data.last_5_minutes.visitors;
  }

  private async conversions(viewer: Owner, id: number, caller: Caller): Promise<number> {
    const answer = await this.queries.query(viewer, id, { metrics: ['conversions'], range: 'today' }, caller);
    const [row] = Array.isArray(answer) ? [] : answer.data;
    return Number(row?.conversions ?? 0);
  }
}

/** The website was just deleted, or its numbers take too long now. */
function unlessPassing(error: unknown): 'gone' | 'late' {
  if (!(error instanceof Problem)) throw error;
  if (statusOf(error) === 404) return 'gone';
  if (willPass(error)) return 'late';
  throw error;
}

function measuresOf(numbers: Map<string, Numbers>): Measured[] {
  const names = Object.keys(HELP) as Name[];
  return names.map((name) => ({
    ...{ name, help: HELP[name], kind: 'gauge', labels: ['domain'], bounds: [] },
    series: [...numbers].flatMap(([domain, { [name]: value }]) =>
      value === undefined ? [] : [{ labels: [domain], values: [value] }],
    ),
  }));
}
