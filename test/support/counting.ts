import { VISITOR_BYTES } from '../../engine/ground/visitor-bytes';
import { randomUUID } from 'node:crypto';
import { Log } from '../../engine/ground/log';
import { DAY_MS } from '../../engine/ground/time/days';
import { DayClock } from '../../engine/ground/time/day-clock';
import { Settings } from '../../src/config/settings';
import { CountingLease } from '../../engine/columns/leases/counting-lease';
import type { CountingService } from '../../engine/columns/counting.service';
import { WebsiteCounter } from '../../engine/columns/fold/website-counter';
import { WebsiteCounters } from '../../engine/columns/fold/website-counters';
import { Rebuilding } from '../../engine/columns/verify/rebuilding';
import { Verification } from '../../engine/columns/verify/verification';
import { CheckpointWork } from '../../engine/columns/upkeep/checkpoint-work';
import { type ColumnTurn, type ColumnWork, REPLACED_STAYS_MS } from '../../engine/columns/upkeep/column-work';
import type { EmptyDays } from '../../engine/columns/upkeep/division-work';
import type { OverDays } from '../../engine/columns/seal/sealing-times';
import { SmallDaySealing } from '../../engine/columns/seal/small-day-sealing';
import {
  type ColumnLimits,
  type DaysToClose,
  nextColumnWork,
} from '../../engine/columns/upkeep/next-column-work';
import { WebsiteAttempts } from '../../engine/columns/leases/website-attempts';
import { connect } from '../../src/database/connect';
import type { Database } from '../../engine/database/database';
import { EntityDatabase } from '../../src/database/entity-database';
import { migrate } from '../../src/database/migrate';
import { inChunks } from '../../engine/database/rows';
import { PlainAnswering } from '../../engine/columns/plain/plain-answering';
import type { Snapshot } from '../../engine/columns/plain/snapshot';
import { ownerAsks } from './owner-asks';
import type { StatName } from '../../engine/hits/stat-names';
import { encodeHits, type Hit, NO_HIT } from '../../engine/hits/hit';
import { VALUE_LIMITS, type ValueLimits, valuesWhileOpen } from '../../engine/hits/rules/value-limits';
import { RetentionClock } from '../../engine/database/retention-clock';
import { Exclusion } from '../../src/exclusions/exclusion.entity';
import { Website } from '../../src/websites/website.entity';
import { VERSION_ROW } from '../../src/websites/website-changes';

export { VERSION_ROW };
import { addWaiting, END_LEASES, makeDue } from './store-hooks';
import { Zone } from '../../engine/questions/plan/buckets';
import { ColumnStore } from '../../engine/columns/column-store';
import { ReadMemory } from '../../engine/ground/memory/read-memory';

export const TODAY = new DayClock('UTC').dayOf(Date.now());

const OWNER = 1;
/** As much as a busy machine appends within the patience of events. */
const HITS_AT_ONCE = 1000;

/** A counting process within the test: separate connections, and another owner of leases. */
export class CountingProcess {
  readonly store: ColumnStore;
  readonly counting: CountingService;
  private readonly owner = randomUUID();
  private readonly stats: PlainAnswering;
  /** By website. */
  private readonly emptyDays = new Map<number, EmptyDays>();

  private constructor(
    readonly database: EntityDatabase,
    private readonly settings: Settings,
    private readonly limits: ValueLimits,
  ) {
    const clock = new RetentionClock(database, settings);
    this.store = new ColumnStore(database, settings, clock, new ReadMemory());
    this.counting = this.store.counting;
    const zone = new Zone(settings.timezone);
    this.stats = new PlainAnswering(database, limits.newPerDay, undefined, undefined, zone);
  }

  static async start(url: string, limits = VALUE_LIMITS, timezone = 'UTC'): Promise<CountingProcess> {
    const settings = new Settings({ DATABASE_URL: url, TIMEZONE: timezone });
    const database = await EntityDatabase.over(await connect(settings.database, [Website, Exclusion]));
    await migrate(database);
    return new CountingProcess(database, settings, limits);
  }

  /** The same process without cached data. */
  coldly(): CountingProcess {
    return new CountingProcess(this.database, this.settings, this.limits);
  }

  async stop(): Promise<void> {
    await this.database.writer.destroy();
  }

  /** A website with a chosen id. */
  async register(websiteId: number): Promise<void> {
    await this.execute(
      `INSERT INTO websites (id, user_id, domain, privacy, email, exclude_bots, created_at, updated_at)
      VALUES (?, ?, ?, 1, 0, 1, 0, 0)`,
      [websiteId, OWNER, `counted${websiteId}.example`],
    );
  }

  accept(websiteId: number, ...hits: Hit[]): Promise<void> {
    return this.acceptWithIds(websiteId, ...hits.map((hit) => ({ hit, eventId: null })));
  }

  /** As events of browsers. */
  async acceptWithIds(websiteId: number, ...entries: { hit: Hit; eventId: string | null }[]): Promise<void> {
    await this.store.accept([{ websiteId, source: 'browser', hits: entries }], VERSION_ROW);
  }

  /** Like a late commit with an id that was assigned long before. */
  async acceptUnder(id: number, websiteId: number, hit: Hit): Promise<void> {
    await this.execute(addWaiting([{ id, websiteId, acceptedAt: Date.now(), hits: encodeHits([hit]) }]));
  }

  /** Undefined while another process counts the website. */
  async folderOf(websiteId: number): Promise<WebsiteCounter | undefined> {
    const lease = await CountingLease.take(this.database, websiteId, this.owner);
    return lease && this.folderUnder(lease);
  }

  /** Takes the website from whoever counts it. */
  private async seizedFolder(websiteId: number): Promise<WebsiteCounter> {
    return this.folderUnder(await CountingLease.seize(this.database, websiteId, this.owner));
  }

  private folderUnder(lease: CountingLease): WebsiteCounter {
    return new WebsiteCounter(this.database, lease, new DayClock(this.settings.timezone));
  }

  /** Accepts hits and counts them, `inFold` per fold, regardless of who counted before. */
  async count(websiteId: number, hits: Hit[], inFold?: number): Promise<void> {
    for (const some of inChunks(hits, HITS_AT_ONCE)) await this.accept(websiteId, ...some);
    const folder = await this.seizedFolder(websiteId);
    while ((await folder.foldSome(inFold)) > 0);
    await folder.lease.release();
  }

  verification(settings = this.settings): Verification {
    return new Verification(this.database, new RetentionClock(this.database, settings), settings);
  }

  rebuilding(settings = this.settings): Rebuilding {
    const clock = new RetentionClock(this.database, settings);
    return new Rebuilding(this.database, clock, this.verification(settings));
  }

  /** Seals the days before one, and merges their segments. */
  async closeDays(websiteId: number, before: number, limits?: ColumnLimits): Promise<void> {
    await this.workOnColumns(websiteId, daysOver(before), limits);
  }

  /** Like `closeDays`, and rolls up all of these days, even with few hits. */
  async rollUpDays(websiteId: number, before: number): Promise<void> {
    await this.makeDue(websiteId);
    await this.workOnColumns(websiteId, rolledUpBefore(before));
  }

  /** Writes all due checkpoints, with a transaction for each number of bytes. */
  async writeCheckpoints(websiteId: number, bytesAtOnce?: number): Promise<void> {
    for (let next = await this.checkpointWork(websiteId, bytesAtOnce); next.work;) {
      await next.work.run(next.turn);
      next = await this.checkpointWork(websiteId, bytesAtOnce);
    }
  }

  /** The work of the next checkpoint of days from one on, and its turn. */
  async checkpointWork(websiteId: number, bytesAtOnce?: number, from = 0): Promise<WorkInTurn> {
    const { lease } = await this.seizedFolder(websiteId);
    const days = { from, maxValues: valuesWhileOpen(this.limits.newPerDay) };
    const work = await CheckpointWork.next(this.database, websiteId, days, bytesAtOnce);
    if (!work) await lease.release();
    return { work: work as ColumnWork, turn: this.turnOf(lease) };
  }

  /** Does all due work on columns. */
  async workOnColumns(websiteId: number, over: DaysToClose, limits?: ColumnLimits): Promise<void> {
    for (let next = await this.nextWork(websiteId, over, limits); next.work;) {
      await next.work.run(next.turn);
      next = await this.nextWork(websiteId, over, limits);
    }
  }

  /** The next work to seal days before one and roll them up, and its turn. */
  async rollupWork(websiteId: number, before: number): Promise<WorkInTurn> {
    await this.makeDue(websiteId);
    return this.nextWork(websiteId, rolledUpBefore(before));
  }

  /** The next work to seal days before one, and its turn. */
  async columnWork(websiteId: number, before: number, limits?: ColumnLimits): Promise<WorkInTurn> {
    return this.nextWork(websiteId, daysOver(before), limits);
  }

  makeDue(websiteId: number): Promise<void> {
    return this.execute(makeDue(websiteId));
  }

  async nextWork(websiteId: number, over: DaysToClose, limits?: ColumnLimits): Promise<WorkInTurn> {
    const { lease } = await this.seizedFolder(websiteId);
    const emptyDays: EmptyDays = this.emptyDays.get(websiteId) ?? new Map();
    this.emptyDays.set(websiteId, emptyDays);
    const days = { ...over, valueLimits: this.limits, emptyDays };
    const work = await nextColumnWork(this.database, lease, days, limits);
    if (!work) await lease.release();
    return { work: work as ColumnWork, turn: this.turnOf(lease) };
  }

  turnOf(lease: CountingLease): ColumnTurn {
    return {
      goOn: () => Promise.resolve(true),
      write: async (prepared) => {
        await this.database.write(async (manager) => {
          await lease.fence(manager);
          await prepared(manager);
        });
        lease.noteCommit();
        return true;
      },
    };
  }

  /** As if the counting process had been away for too long. */
  async endLeases(): Promise<void> {
    await this.execute(END_LEASES);
  }

  async execute(statement: string, parameters: unknown[] = []): Promise<void> {
    await this.database.write((manager) => manager.query(statement, parameters));
  }

  async counted(
    websiteId: number,
    name: StatName,
    from = TODAY,
    to = TODAY,
  ): Promise<Record<string, number>> {
    const selection = { name, range: { from, to } };
    const order = { by: 'count', direction: 'desc' } as const;
    const counted = await this.read(websiteId, async (snapshot) => {
      const sums = await snapshot.sums(selection);
      return snapshot.page(name, sums, sums.codes(), order, 0, 100);
    });
    return Object.fromEntries(counted.map(({ value, count }) => [value, count]));
  }

  async asOf(websiteId: number): Promise<Date> {
    return (await this.stats.at(readBy(websiteId), () => Promise.resolve())).asOf;
  }

  async read<T>(websiteId: number, work: (snapshot: Snapshot) => Promise<T>, statsFrom = 0): Promise<T> {
    return (await this.stats.at({ ...readBy(websiteId), statsFrom }, work)).result;
  }
}

const readBy = (websiteId: number) => ({ asker: ownerAsks(OWNER), websiteId, statsFrom: 0 });

interface WorkInTurn {
  work: ColumnWork;
  turn: ColumnTurn;
}

/** Seals small days of many websites together, like a counting process. */
export function smallDaySealing(
  { database }: CountingProcess,
  attempts = attemptsOn(database),
): SmallDaySealing {
  const folders = new WebsiteCounters(database, new DayClock('UTC'));
  return new SmallDaySealing(database, folders, attempts);
}

export function attemptsOn(database: Database): WebsiteAttempts {
  return new WebsiteAttempts(database, new Log('Counting'), () => undefined);
}

/** When the visitors of a day are forgotten, in UTC. */
export function forgottenAt(day: number): number {
  return (day + 1) * DAY_MS + 48 * 3_600_000;
}

/** Days without further hits, at a time when replaced data may be removed. */
export function daysOver(before: number): OverDays {
  const endOf = (day: number) => (day + 1) * DAY_MS;
  return {
    before,
    acceptedBefore: 0,
    now: Date.now() + 2 * REPLACED_STAYS_MS,
    sealBefore: before,
    finalBefore: before,
    sealAt: endOf,
    finalAt: (day) => endOf(day) + 47 * 3_600_000,
    forgetAt: forgottenAt,
    rollAllBefore: 0,
    giveUpBefore: 0,
    rollAt: () => Infinity,
    statsFrom: 0,
    valueLimits: VALUE_LIMITS,
    timezone: 'UTC',
    moves: undefined,
  };
}

/** The same days, all of which get rollups. */
export function rolledUpBefore(before: number): OverDays {
  return { ...daysOver(before), rollAllBefore: before };
}

/** A page view at the beginning of a day, without a visitor if `visitor` is empty. */
export function pageViewOn(day: number, page: string, visitor: string, fields: Partial<Hit> = {}): Hit {
  return {
    ...pageView(page, visitor),
    at: 86_400 * day,
    day,
    ...(visitor === '' && { visitor }),
    ...fields,
  };
}

/** Hits of visitors whose first hits are not in the order of their hashes; one visitor has hits of all kinds. */
export function mixedHitsOn(day: number): Hit[] {
  const hit = (page: string, visitor: string, second: number, fields: Partial<Hit> = {}) =>
    pageViewOn(day, page, visitor, { at: 86_400 * day + second, ...fields });
  return [
    hit('/1', 'z', 3000, { referrer: 'a.example', country: 'FR' }),
    hit('/2', 'a', 20),
    hit('/3', 'z', 10, { event: 'buy', properties: [['plan', 'pro']], value: '-5000' }),
    hit('/4', '', 90),
    hit('/5', 'm', 86_399, { campaign: 'Sale' }),
    hit('/6', 'Q', 500, { referrer: 'b.example' }),
    ...Array.from({ length: 12 }, (_, index) => hit(`/of/z/${index}`, 'z', 4000 + index)),
  ];
}

/** A page view of today; one letter identifies the visitor. */
export function pageView(page: string, visitor: string): Hit {
  return {
    ...NO_HIT,
    at: Math.floor(Date.now() / 1000),
    day: TODAY,
    visitor: Buffer.alloc(VISITOR_BYTES, visitor).toString('base64url'),
    page,
    browser: 'Firefox',
    operatingSystem: 'Linux',
    device: 'desktop',
    language: 'de-DE',
    screen: '1920x1080',
    continent: 'EU',
    country: 'DE',
    city: 'Berlin, DE',
    hostname: 'counted.example',
  };
}
