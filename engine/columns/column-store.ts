import { ReadMemory } from '../ground/memory/read-memory';
import type { Database } from '../database/database';
import type { RetentionClock } from '../database/retention-clock';
import type { SqlCondition, Transaction } from '../database/rows';
import type { HitSettings } from '../database/hit-settings';
import { NotSeen } from '../ground/errors';
import type { Caller } from '../ground/gate';
import type { Span } from '../hits/calendar';
import type { DroppedOfWebsite } from '../hits/events/dropped-events';
import { isSeen, type SeenIf } from '../hits/seen-if';
import {
  type AcceptedHits,
  type Extent,
  type Followed,
  HitStore,
  type Settled,
  type Warning,
  type WebsiteTerms,
} from '../port';
import type { Asker, DataVersion } from '../questions/asker';
import type { Cursor } from '../questions/conversions-request';
import type { ResolvedFilter } from '../questions/parse/filter';
import type { ListKind, Lists, Piece, QuestionKind, Questions } from '../questions/questions';
import { DayClock } from '../ground/time/day-clock';
import type { Exclusion } from '../questions/exclusions';
import { makeDue } from './closed-days';
import { expectHomes } from './homes/home-check';
import { leaveOut } from './left-out';
import { BackgroundCounting } from './background-counting';
import { CountingService } from './counting.service';
import { notePageFilters, noteUnchangedPageFilters, readWebsitesToShare } from './page-filters';
import { InboxWriter } from './fold/inbox-writer';
import { WaitingEvents } from './fold/refused-websites';
import { follow, moveCursor, readFollowed, unfollow } from './followed-websites';
import { UnforgottenVisitors } from './forget/unforgotten-visitors';
import { readExtent } from './stored-days';
import type { PlainKind, ScanKind } from './threads/queries';
import { QueryThreads } from './threads/query-threads';
import { WaitingWork } from './waiting-work';
import { readState, versionOfDays, versionOfHits } from './website-state';

const WEBSITE_TERMS: WebsiteTerms = {
  changes: (id) => `COALESCE((SELECT folds FROM counting WHERE counting.website_id = ${id}), 0)`,
  followed: 'SELECT website_id FROM followed_websites',
  purges: 'SELECT exclusion_id FROM purges',
  readAt: (id) => `(SELECT read_at FROM followed_websites followed WHERE followed.website_id = ${id})`,
  hasNewHits: (id) => `EXISTS (SELECT 1 FROM followed_websites followed JOIN counting
    ON counting.website_id = followed.website_id AND counting.folds <> followed.folds WHERE followed.website_id = ${id})`,
};

const SCANS: readonly QuestionKind[] = [
  'hitQueries',
  'funnel',
  'journey',
  'conversions',
] satisfies ScanKind[];

/** Hits in the service's own database, as columns. */
export class ColumnStore extends HitStore {
  readonly terms = WEBSITE_TERMS;
  readonly wantsStatements: boolean;
  readonly counting: CountingService;
  readonly threads: QueryThreads;
  readonly waiting: WaitingEvents;
  private readonly background: BackgroundCounting;
  private readonly inbox: InboxWriter;
  private readonly unforgotten: UnforgottenVisitors;
  private readonly waitingWork: WaitingWork;

  constructor(
    private readonly database: Database,
    private readonly settings: HitSettings,
    clock: RetentionClock,
    memory: ReadMemory,
  ) {
    super();
    // Statements count rows of the service's own database.
    this.wantsStatements = settings.moves !== undefined && !settings.moves.home;
    this.counting = new CountingService(database, settings, clock);
    this.background = new BackgroundCounting(database, this.counting, settings);
    this.inbox = new InboxWriter(database);
    this.waiting = new WaitingEvents(database);
    this.unforgotten = new UnforgottenVisitors(database, clock);
    this.waitingWork = new WaitingWork(database, clock, this.unforgotten);
    this.threads = new QueryThreads(settings, memory);
  }

  start(options: { mayUseThread: boolean }): void {
    this.background.start(options);
  }

  prepare(): void {
    this.threads.start();
  }

  async stop(): Promise<void> {
    await Promise.all(
      [this.background, this.counting, this.waiting, this.threads].map((part) => part.stop()),
    );
  }

  check(): Promise<void> {
    return expectHomes(this.database, this.settings.moves);
  }

  async warnings(): Promise<Warning[]> {
    return [
      ...this.background.warnings(),
      ...(await this.waiting.warnings()),
      ...(await this.unforgotten.warnings()),
    ];
  }

  look(): Promise<void> {
    this.threads.look();
    return this.waitingWork.look();
  }

  accept(submissions: readonly AcceptedHits[], onlyIf: SqlCondition): Promise<boolean[][]> {
    return this.inbox.accept(submissions, onlyIf);
  }

  appendDropped(
    sums: readonly DroppedOfWebsite[],
    patienceMs: number,
    onWritten: (sums: DroppedOfWebsite[]) => void,
  ): Promise<void> {
    return this.inbox.appendDropped(sums, patienceMs, onWritten);
  }

  probe(onlyIf: SqlCondition): Promise<boolean> {
    return this.inbox.probe(onlyIf);
  }

  nudge(): void {
    this.background.nudge();
  }

  expectRoom(websiteId: number): void {
    this.waiting.expectRoom(websiteId);
  }

  hasWaiting(websiteId: number): Promise<boolean> {
    return this.counting.hasWaiting(websiteId);
  }

  foldAll(maxHits?: number): Promise<number> {
    return this.counting.foldAll(maxHits);
  }

  settle(websiteId: number, before?: number): Promise<Settled> {
    return this.counting.settle(websiteId, before);
  }

  ask<K extends QuestionKind>(kind: K, question: Questions[K][0], caller: Caller): Promise<Questions[K][1]> {
    if (!SCANS.includes(kind)) return this.threads.answer(kind as PlainKind, question as never, caller);
    const { name } = question as Questions['hitQueries'][0];
    if (name !== undefined) return this.threads.count(name, question as never, caller);
    return this.threads.scan(kind as ScanKind, question as never, caller);
  }

  list<K extends ListKind>(kind: K, question: Lists[K], caller: Caller): AsyncGenerator<Piece> {
    return this.threads.list(kind, question as never, caller);
  }

  async version(
    of: 'counts' | 'hits',
    asker: Asker,
    websiteId: number,
    spans: Span[],
    statsFrom: number,
  ): Promise<DataVersion> {
    const { database } = this;
    const { state } = await database.readQuick((reader) => readState(database, reader, asker, websiteId));
    return (of === 'hits' ? versionOfHits : versionOfDays)(state, spans, statsFrom);
  }

  async expectSeen(seenIf: SeenIf, websiteId: number): Promise<void> {
    if (!(await this.database.readQuick((reader) => isSeen(reader, websiteId, seenIf)))) throw new NotSeen();
  }

  extent(websiteId: number, from: number): Promise<Extent> {
    return this.database.readQuick((reader) => readExtent(reader, websiteId, from));
  }

  follow(tx: Transaction, websiteId: number, now: number): Promise<void> {
    return follow(tx, this.database.dialect, websiteId, now);
  }

  followed(tx: Transaction, websiteId: number): Promise<Followed | undefined> {
    return readFollowed(tx, websiteId);
  }

  unfollow(tx: Transaction, websiteId: number): Promise<void> {
    return unfollow(tx, websiteId);
  }

  moveCursor(tx: Transaction, websiteId: number, before: Cursor, after: Cursor): Promise<boolean> {
    return moveCursor(tx, websiteId, before, after);
  }

  share(tx: Transaction, websiteId: number, filters: ResolvedFilter[] | undefined): Promise<void> {
    return notePageFilters(tx, websiteId, filters);
  }

  shareUnchanged(tx: Transaction, websiteId: number, filters: ResolvedFilter[] | undefined): Promise<void> {
    return noteUnchangedPageFilters(tx, websiteId, filters);
  }

  divideDays(tx: Transaction, websiteId: number): Promise<void> {
    return makeDue(tx, websiteId);
  }

  websitesToShare(): Promise<number[]> {
    return this.database.readQuick(readWebsitesToShare);
  }

  async leaveOut(tx: Transaction, websiteId: number, exclusions: readonly Exclusion[]): Promise<void> {
    await leaveOut(
      tx,
      this.database.dialect,
      websiteId,
      exclusions,
      await this.excludableFrom(tx, websiteId),
    );
  }

  /** Retention may look at a rollup before it is removed, and at the hits after that. */
  async excludableFrom(tx: Transaction, websiteId: number): Promise<number> {
    const { archiveDays = Infinity, timezone } = this.settings;
    const [row] = await tx.query<Record<'kept_from' | 'moment', number | string>[]>(
      `SELECT COALESCE((SELECT archived_from FROM counting WHERE website_id = ?), 0) AS kept_from,
        ${this.database.dialect.now} AS moment`,
      [websiteId],
    );
    const expiring = new DayClock(timezone).dayOf(Number(row!.moment)) - archiveDays;
    return Math.max(Number(row!.kept_from), expiring + 1);
  }
}
