import { Injectable } from '@nestjs/common';
import { Database } from '../../../engine/database/database';
import { Changed } from '../../../engine/ground/errors';
import { MemoryBudget } from '../../../engine/ground/memory/memory-budget';
import { yieldIfNeeded } from '../../../engine/ground/time/yield-if-needed';
import { NotFound } from '../../common/problems';
import { type AcceptedHits, HitStore } from '../../../engine/port';
import type { IdSource } from '../../../engine/hits/events/event-key';
import type { DropReason } from '../../../engine/hits/events/dropped-events';
import { type Arrival, type Decision, EventRules } from '../events/website-rules';
import { ACCEPTED_EVENTS, DROPPED_EVENTS, DUPLICATE_EVENTS } from '../event-counts';
import { DroppedEvents } from './dropped-events';
import { InboxHealth } from './inbox-health';
import { OwnVisits } from './own-visits';
import { rowOfVersion } from '../../websites/website-changes';
import { type TrackedWebsite, TrackedWebsites } from '../tracked-websites';

export type EventOutcome =
  { status: 'accepted' } | { status: 'duplicate' } | { status: 'dropped'; reason: DropReason };

/** Events of one request for one website. */
interface Submission {
  source: IdSource;
  /** The owner of the memory for waiting events: a domain for browsers, a user's id for servers. */
  owner: number | string;
  domain: string;
  /** Set if the request named the website by its id; the domain must still belong to that website. */
  websiteId?: number;
  arrivals: Arrival[];
  /** Approximate size in memory while it waits. */
  bytes: number;
}

interface Waiting {
  submission: Submission;
  website: TrackedWebsite;
  decisions: Decision[];
  resolve: (outcomes: EventOutcome[]) => void;
  reject: (error: unknown) => void;
}

const MAX_EVENTS_PER_COMMIT = 2000;
const MAX_BYTES_PER_COMMIT = 4 * 1024 * 1024;
/** SQLite's limit for SELECTs in one INSERT, which has one per row. */
const MAX_SUBMISSIONS_PER_COMMIT = 500;
/** Two concurrent commits suffice for the database; more would only be smaller. */
const MAX_COMMITS = 2;
const MIN_EVENTS_FOR_SECOND_COMMIT = 16;

/** Commits events before they are acknowledged. Events that arrive during a commit share the next one. */
@Injectable()
export class Inbox {
  private queue: Waiting[] = [];
  private readonly memory: Record<IdSource, MemoryBudget> = {
    browser: MemoryBudget.withPartFor('browserEvents', 3 / 4),
    // Browsers wait behind batches.
    server: MemoryBudget.withPartFor('serverEvents', 3 / 8),
  };
  private committing = 0;

  constructor(
    private readonly database: Database,
    private readonly health: InboxHealth,
    private readonly websites: TrackedWebsites,
    private readonly processor: EventRules,
    private readonly dropped: DroppedEvents,
    private readonly ownVisits: OwnVisits,
    private readonly store: HitStore,
  ) {}

  async submit(submission: Submission): Promise<EventOutcome[]> {
    const { source, owner, bytes } = submission;
    const memory = this.memory[source].reserve(owner, bytes);
    try {
      const website = this.websites.known(submission.domain) ?? (await this.websites.find(submission.domain));
      const tracked = existing(submission, website);
      return await this.enqueue(submission, tracked, await this.processAll(submission, tracked));
    } finally {
      memory.release();
    }
  }

  private enqueue(
    submission: Submission,
    website: TrackedWebsite,
    decisions: Decision[],
  ): Promise<EventOutcome[]> {
    const outcomes = new Promise<EventOutcome[]>((resolve, reject) => {
      this.queue.push({ submission, website, decisions, resolve, reject });
    });
    const isWorthAnother = this.committing < MAX_COMMITS && this.queue.length >= MIN_EVENTS_FOR_SECOND_COMMIT;
    if (this.committing === 0 || isWorthAnother) void this.commitAll();
    return outcomes;
  }

  private async commitAll(): Promise<void> {
    this.committing++;
    while (this.queue.length > 0) {
      // Requests that the event loop has already read share the commit.
      await new Promise(setImmediate);
      const batch = this.takeBatch();
      if (batch.length === 0) break;
      try {
        await this.commit(batch);
      } catch (error) {
        refuse(batch, error);
        // Queued events would exceed their deadline before the database answers.
        if (await this.database.isOutage(error)) refuse(this.queue.splice(0), error);
      }
    }
    this.committing--;
  }

  private takeBatch(): Waiting[] {
    let events = 0;
    let bytes = 0;
    const end = this.queue.findIndex(
      ({ decisions, submission }, index) =>
        index === MAX_SUBMISSIONS_PER_COMMIT ||
        (events += decisions.length) > MAX_EVENTS_PER_COMMIT ||
        (bytes += submission.bytes) > MAX_BYTES_PER_COMMIT,
    );
    return this.queue.splice(0, end < 0 ? this.queue.length : Math.max(1, end));
  }

  /** If a website has changed since its events were processed, all are processed again with its new options. */
  private async commit(batch: Waiting[]): Promise<void> {
    let waiting = batch;
    while (waiting.length > 0) {
      if (!waiting.every(({ website }) => this.websites.isCurrent(website))) {
        waiting = await this.processAgain(waiting);
        continue;
      }
      const hits = waiting.map(({ website, decisions, submission }) =>
        acceptedHits(website, decisions, submission),
      );
      try {
        const accepted = await this.store.accept(hits, rowOfVersion(this.websites.version));
        if (accepted.flat().includes(true)) this.health.noteSuccess();
        waiting.forEach((one, index) => {
          this.countDropped(one);
          const outcomes = outcomesOf(one.decisions, accepted[index]!);
          measure(outcomes, one.submission.source);
          one.resolve(outcomes);
        });
        this.store.nudge();
        return;
      } catch (error) {
        if (!(error instanceof Changed)) {
          this.health.noteFailure(error);
          throw error;
        }
        await this.websites.lookAgain();
      }
    }
  }

  private countDropped({ website, decisions, submission }: Waiting): void {
    const { source, arrivals } = submission;
    for (const [index, decision] of decisions.entries()) {
      if (!('dropped' in decision)) continue;
      const { day, address } = arrivals[index]!;
      this.dropped.add(website.id, day, decision.dropped);
      if (source === 'browser') this.ownVisits.noteDropped(website.id, address, decision.dropped);
    }
  }

  private async processAgain(waiting: Waiting[]): Promise<Waiting[]> {
    const still: Waiting[] = [];
    for (const one of waiting) {
      try {
        const { domain } = one.submission;
        const website = existing(
          one.submission,
          this.websites.known(domain) ?? (await this.websites.find(domain)),
        );
        still.push({ ...one, website, decisions: await this.processAll(one.submission, website) });
      } catch (error) {
        if (!(error instanceof NotFound)) throw error;
        one.reject(error);
      }
    }
    return still;
  }

  private async processAll({ arrivals }: Submission, website: TrackedWebsite): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (const arrival of arrivals) {
      decisions.push(this.processor.process(arrival, website));
      if (arrivals.length > 1) await yieldIfNeeded();
    }
    return decisions;
  }
}

function existing({ websiteId }: Submission, website: TrackedWebsite | undefined): TrackedWebsite {
  if (!website || (websiteId !== undefined && website.id !== websiteId)) throw new NotFound('Website');
  return website;
}

function acceptedHits(website: TrackedWebsite, decisions: Decision[], submission: Submission): AcceptedHits {
  const { source, arrivals } = submission;
  return {
    websiteId: website.id,
    source,
    hits: decisions.map((decision, index) =>
      'hit' in decision ? { hit: decision.hit, eventId: arrivals[index]!.event.id } : undefined,
    ),
  };
}

function outcomesOf(decisions: Decision[], accepted: boolean[]): EventOutcome[] {
  return decisions.map((decision, index) => {
    if ('dropped' in decision) return { status: 'dropped', reason: decision.dropped };
    return { status: accepted[index] ? 'accepted' : 'duplicate' };
  });
}

function measure(outcomes: EventOutcome[], source: IdSource): void {
  for (const outcome of outcomes)
    if (outcome.status === 'accepted') ACCEPTED_EVENTS.add(1, source);
    else if (outcome.status === 'duplicate') DUPLICATE_EVENTS.add(1, source);
    else DROPPED_EVENTS.add(1, source, outcome.reason);
}

function refuse(waiting: Waiting[], error: unknown): void {
  for (const { reject } of waiting) reject(error);
}
