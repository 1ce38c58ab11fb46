import type { SqlCondition, Transaction } from './database/rows';
import type { Caller } from './ground/gate';
import type { Span } from './hits/calendar';
import type { DroppedOfWebsite } from './hits/events/dropped-events';
import type { IdSource } from './hits/events/event-key';
import type { Hit } from './hits/hit';
import type { HitBlocks } from './hits/hit-block';
import type { SeenIf } from './hits/seen-if';
import type { Asker, DataVersion } from './questions/asker';
import type { Cursor } from './questions/conversions-request';
import type { Exclusion } from './questions/exclusions';
import type { ResolvedFilter } from './questions/parse/filter';
import type { Lists, ListKind, Piece, QuestionKind, Questions } from './questions/questions';

/** What keeps hits from being counted or forgotten. */
export interface Warning {
  code: string;
  /** Undefined if it concerns all websites. */
  website_id?: number;
  detail: string;
}

export interface AcceptedHit {
  readonly hit: Hit;
  /** A UUID, if the event has one. */
  readonly eventId: string | null;
}

/** The hits of one submission, in order; undefined for an event that a rule dropped. */
export interface AcceptedHits {
  readonly websiteId: number;
  readonly source: IdSource;
  readonly hits: readonly (AcceptedHit | undefined)[];
}

/** Tells whether there may be more work on a website's days, there is none, or another process counts the website. */
export type Settled = 'more' | 'done' | 'elsewhere';

/** The days with hits. */
export interface Extent {
  /** Undefined without hits. */
  readonly first: number | undefined;
  /** The first day whose hits may be complete. */
  readonly keptFrom: number;
}

/** How far the hits of a followed website were read. */
export interface Followed {
  readonly cursor: Cursor;
  readonly readAt: number;
}

/** The hits of a sealed day. A day that is written again has another version. */
export interface DayKey {
  readonly websiteId: number;
  readonly day: number;
  readonly version: number;
}

/** Sealed days of websites, wherever they live. */
export interface DayStore {
  /** Keeps the hits of a day, instead of those that it has under the same key. */
  put(key: DayKey, hits: HitBlocks): Promise<void>;
  drop(keys: readonly DayKey[]): Promise<void>;
  /** The hits of some days of a website. They are valid until the work ends. */
  read<T>(keys: readonly DayKey[], work: (hits: HitBlocks) => Promise<T>): Promise<T>;
}

/** SQL for statements of the application that choose among many websites. `id` is a column with the id of a website. */
export interface WebsiteTerms {
  /** How often the counts of a website changed. */
  changes(id: string): string;
  /** A query for the ids of followed websites, as `website_id`. */
  readonly followed: string;
  /** A query for the ids of exclusions whose purge goes on, as `exclusion_id`. */
  readonly purges: string;
  /** When a followed website was read last. NULL for others. */
  readAt(id: string): string;
  /** Tells whether a followed website has hits behind its cursor. */
  hasNewHits(id: string): string;
}

/** Everything that the application may ask of hits. */
export abstract class HitStore {
  abstract readonly terms: WebsiteTerms;
  /** Tells whether queries are asked with the statements that count them. */
  abstract readonly wantsStatements: boolean;

  /** Counts in the background. On a database server this may be in a thread. */
  abstract start(options: { mayUseThread: boolean }): void;
  /** Starts the threads that answer, ahead of the first question. */
  abstract prepare(): void;
  abstract stop(): Promise<void>;
  /** Throws if hits cannot be where the settings say, or some are where they do not say. */
  abstract check(): Promise<void>;
  /** Anybody may call it as often as they like. */
  abstract warnings(): Promise<Warning[]>;
  /** Measures what waits. It looks at a limited number of rows, and not more often than every few seconds. */
  abstract look(): Promise<void>;

  /**
   * Stores hits to be counted later, and tells of each whether it was accepted: a server's hit is rejected if its id is
   * known. Either all are stored, or none. `onlyIf` is what follows FROM in a statement that has one row while hits may
   * be stored. Throws `Changed` if it has none.
   */
  abstract accept(submissions: readonly AcceptedHits[], onlyIf: SqlCondition): Promise<boolean[][]>;
  /**
   * Stores sums of dropped events, except for deleted websites. Reports which are written, because a later statement may
   * fail.
   */
  abstract appendDropped(
    sums: readonly DroppedOfWebsite[],
    patienceMs: number,
    onWritten: (sums: DroppedOfWebsite[]) => void,
  ): Promise<void>;
  /** Throws if hits cannot be stored. Returns false if they may not, by the same condition as in `accept`. */
  abstract probe(onlyIf: SqlCondition): Promise<boolean>;
  /** Call it after a commit to the inbox. */
  abstract nudge(): void;
  /** Throws if further events of a website are refused, because too many wait. */
  abstract expectRoom(websiteId: number): void;
  abstract hasWaiting(websiteId: number): Promise<boolean>;
  /** Counts waiting hits, at most `maxHits` of each website. Returns how many it counted. */
  abstract foldAll(maxHits?: number): Promise<number>;
  /** Does the next piece of work on the days of a website before `before`. */
  abstract settle(websiteId: number, before?: number): Promise<Settled>;

  /** Answers from one snapshot, if `seenIf` holds there. */
  abstract ask<K extends QuestionKind>(
    kind: K,
    question: Questions[K][0],
    caller: Caller,
  ): Promise<Questions[K][1]>;
  /** It holds a slot only while a piece is read. */
  abstract list<K extends ListKind>(kind: K, question: Lists[K], caller: Caller): AsyncGenerator<Piece>;
  /** The version of the counts of some days, or of what is counted from their hits. */
  abstract version(
    of: 'counts' | 'hits',
    asker: Asker,
    websiteId: number,
    spans: Span[],
    statsFrom: number,
  ): Promise<DataVersion>;
  abstract expectSeen(seenIf: SeenIf, websiteId: number): Promise<void>;
  /** Leaves out days before `from`. */
  abstract extent(websiteId: number, from: number): Promise<Extent>;

  /** Follows a website from now on, unless it is followed already. */
  abstract follow(tx: Transaction, websiteId: number, now: number): Promise<void>;
  abstract followed(tx: Transaction, websiteId: number): Promise<Followed | undefined>;
  /** Whoever follows or reads the website meanwhile waits for the end of the transaction. */
  abstract unfollow(tx: Transaction, websiteId: number): Promise<void>;
  /** False if another reader moved it since `before`, or the website is not followed: then the transaction must fail. */
  abstract moveCursor(tx: Transaction, websiteId: number, before: Cursor, after: Cursor): Promise<boolean>;

  /**
   * Notes what limits the website's shared page, written out, in each transaction that may change it. Days that were
   * divided by another filter are divided anew. Call it while other changes of the website's filters wait.
   */
  abstract share(tx: Transaction, websiteId: number, filters: ResolvedFilter[] | undefined): Promise<void>;
  /** For one of `websitesToShare` whose filter has not changed since its days were divided: they stay divided. */
  abstract shareUnchanged(
    tx: Transaction,
    websiteId: number,
    filters: ResolvedFilter[] | undefined,
  ): Promise<void>;
  /** Soon divides the days of a website, in the background. Call it in the transaction that shares the website. */
  abstract divideDays(tx: Transaction, websiteId: number): Promise<void>;
  /** Websites with a limited page whose filter the store does not know. Their viewers see no details of days. */
  abstract websitesToShare(): Promise<number[]>;

  /**
   * Replaces the exclusions of a website, and raises the version of its counts. On its days, an exclusion leaves what its
   * filters select out of every answer; conditions look at all stored hits. Days before `excludableFrom` stay as they
   * were counted. One that is purged is among `terms.purges` until the hits of its last day are removed.
   */
  abstract leaveOut(tx: Transaction, websiteId: number, exclusions: readonly Exclusion[]): Promise<void>;
  /** The first day whose counts exclusions can change: its hits stay for a day at least. */
  abstract excludableFrom(tx: Transaction, websiteId: number): Promise<number>;
}

/*
 * Later, `HitStore` also changes what is counted. Each of these methods raises the version of the counts in the caller's
 * transaction, so that the next answer is right:
 *
 *   // Stores the counts of a day without hits. Fails if the day has another source.
 *   abstract putTotals(tx: Transaction, websiteId: number, day: number, source: Source, totals: Totals): Promise<void>;
 *   // Removes the hits or the totals of days, as far as they are of this source.
 *   abstract removeDays(tx: Transaction, websiteId: number, days: readonly number[], source: Source): Promise<void>;
 *
 *   // Where a stored day comes from: it was counted here, or has the number of an import. A day has one source.
 *   type Source = 'here' | number;
 *
 *   // The counts of each value of a name on a day. Questions about hits leave days of totals out and name them.
 *   type Totals = Readonly<Partial<Record<StatName, readonly (readonly [value: string, count: number])[]>>>;
 */
