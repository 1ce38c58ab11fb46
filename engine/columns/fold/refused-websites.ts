import { Log } from '../../ground/log';
import { TooManyRequests } from '../../ground/errors';
import { sharedFor } from '../../ground/time/shared-for';
import { withTimeout } from '../../ground/time/timeout';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Database } from '../../database/database';
import { reasonOf } from '../../database/errors';
import { inChunks } from '../../database/rows';
import { BACKLOG, isLate, type LateWebsite, mustBeJudged, seenAgain } from './late-websites';
import {
  findLastRows,
  readWaitingAfter,
  readWaitingOf,
  type RowBudget,
  type WaitingRows,
  WEBSITES_AT_ONCE,
} from './waiting-rows';
import { type Warning } from '../../port';

const LOOK_EVERY_MS = 1000;
/** A little longer, so that the last look is not shared any more. */
const LOOK_AGAIN_AFTER_MS = 1100;
const MAX_WARNINGS = 20;
/** For memory. Beyond it, a website becomes known when another one is no longer late. */
const MAX_LATE = 20_000;
/** The limits of a look. Other websites have their turn in the next one. */
export const LOOK = {
  websites: 5 * WEBSITES_AT_ONCE,
  judged: 20,
  rows: 30_000,
  /** An older look says nothing about the present. */
  freshMs: 3000,
  /** Whoever asks for warnings waits no longer for a look. */
  warningsMs: 1000,
};
const RETRY_AFTER_SECONDS = 10;

/** The events that wait for counting, in any process. */
export class WaitingEvents {
  private readonly logger = new Log('WaitingEvents');
  private readonly late = new Map<number, LateWebsite>();
  private lookedAt = -Infinity;
  /** The website at which the next look begins. */
  private after = 0;
  private hasFailed = false;
  private looking: Promise<void> | undefined;
  private next: NodeJS.Timeout | undefined;
  private readonly looked = sharedFor(LOOK_EVERY_MS, () => this.lookOnce());

  constructor(private readonly database: Database) {}

  async stop(): Promise<void> {
    await this.looking;
    clearTimeout(this.next);
  }

  /** Anybody may call it as often as they like. They are advice, so none are returned if the look fails or is slow. */
  async warnings(): Promise<Warning[]> {
    await withTimeout(LOOK.warningsMs, this.looked()).catch(() => undefined);
    if (!this.isFresh()) return [];
    const all = [...this.late.values()].map(({ seen }) => seen);
    const longest = all.sort((one, other) => one.acceptedAt - other.acceptedAt).at(0);
    return [
      ...(longest ? [warningOf(longest)] : []),
      ...this.refused()
        .slice(0, MAX_WARNINGS)
        .map((website_id) => ({
          code: 'events_refused',
          website_id,
          detail: 'Events are refused because they arrive faster than they can be counted.',
        })),
    ];
  }

  /** Throws if events of a website are refused. It does not wait: the result of a look applies to the next call. */
  expectRoom(websiteId: number): void {
    void this.looked();
    if (this.isFresh() && this.late.get(websiteId)?.refusedUntil !== undefined)
      throw new TooManyRequests(
        'Too many events of this website are waiting to be counted.',
        RETRY_AFTER_SECONDS,
      );
  }

  private isFresh(): boolean {
    return performance.now() - this.lookedAt < LOOK.freshMs;
  }

  private refused(): number[] {
    return [...this.late].flatMap(([id, { refusedUntil }]) => (refusedUntil === undefined ? [] : [id]));
  }

  /** A failed look keeps what is known; it is soon too old to refuse anything. */
  private lookOnce(): Promise<void> {
    this.looking ??= this.look()
      .then(
        () => (this.hasFailed = false),
        (error: unknown) => this.noteFailure(error),
      )
      .then(() => this.lookAgainIfRefused())
      .finally(() => (this.looking = undefined));
    return this.looking;
  }

  private noteFailure(error: unknown): void {
    if (!this.hasFailed) this.logger.warn(`waiting events cannot be looked at: ${reasonOf(error)}`);
    this.hasFailed = true;
  }

  /** Refused senders may all wait for a while, so that no event causes a look. */
  private lookAgainIfRefused(): void {
    clearTimeout(this.next);
    if (this.isFresh() && this.refused().length > 0)
      this.next = setTimeout(() => void this.looked(), LOOK_AGAIN_AFTER_MS).unref();
  }

  private async look(): Promise<void> {
    if (!this.isFresh()) this.late.clear();
    const seen = await this.seeNext();
    const others = this.refused().filter((id) => !seen.has(id));
    for (const some of inChunks(others, WEBSITES_AT_ONCE))
      this.note(await readWaitingOf(this.database, some), some);
    await this.judgeSome();
    this.lookedAt = performance.now();
  }

  /** Looks at the next websites with waiting events, and begins anew after the last one. Returns them. */
  private async seeNext(): Promise<Set<number>> {
    const seen = new Set<number>();
    let page: WaitingRows[];
    do {
      page = await readWaitingAfter(this.database, this.after);
      const last =
        page.length < WEBSITES_AT_ONCE ? Infinity : Math.max(...page.map(({ websiteId }) => websiteId));
      this.note(
        page,
        [...this.late.keys()].filter((id) => id > this.after && id <= last),
      );
      for (const { websiteId } of page) seen.add(websiteId);
      this.after = last === Infinity ? 0 : last;
      await yieldIfNeeded();
    } while (this.after !== 0 && seen.size < LOOK.websites);
    return seen;
  }

  /** Websites that were looked for and are not late any more are forgotten. */
  private note(waiting: WaitingRows[], lookedFor: number[]): void {
    const late = new Map(waiting.filter(isLate).map((seen) => [seen.websiteId, seen]));
    for (const id of lookedFor) if (!late.has(id)) this.late.delete(id);
    for (const [id, seen] of late)
      if (this.late.size < MAX_LATE || this.late.has(id))
        this.late.set(id, seenAgain(this.late.get(id), seen));
  }

  /** Refused websites come first, then those whose window began first. */
  private async judgeSome(): Promise<void> {
    const budget = { rows: LOOK.rows };
    const refusedFirst = (one: LateWebsite) => (one.refusedUntil === undefined ? 1 : 0);
    const chosen = [...this.late.values()]
      .filter(mustBeJudged)
      .sort((one, other) => refusedFirst(one) - refusedFirst(other) || one.window.now - other.window.now)
      .slice(0, LOOK.judged);
    for (const website of chosen)
      if (budget.rows > 0) this.late.set(website.seen.websiteId, await this.judged(website, budget));
  }

  /** In a longer window more may arrive. */
  private async judged({ seen, window, refusedUntil }: LateWebsite, budget: RowBudget): Promise<LateWebsite> {
    const { websiteId, now } = seen;
    const windows = (now - window.now) / BACKLOG.windowMs;
    const arrived = { after: window.newest, bytes: BACKLOG.newBytes * windows };
    const find = (rows: { after?: number; bytes: number }) =>
      findLastRows(this.database, websiteId, rows, budget);
    const isCause = refusedUntil !== undefined || (await find(arrived)) !== undefined;
    return { seen, window: seen, refusedUntil: isCause ? await find({ bytes: BACKLOG.bytes }) : undefined };
  }
}

function warningOf({ websiteId, acceptedAt, now }: WaitingRows): Warning {
  const since = new Date(acceptedAt).toISOString();
  const seconds = Math.floor((now - acceptedAt) / 1000).toLocaleString('en');
  return {
    code: 'counting_waits',
    website_id: websiteId,
    detail: `Events have been waiting to be counted since ${since}, for ${seconds} seconds.`,
  };
}
