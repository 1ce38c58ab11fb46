import { Injectable } from '@nestjs/common';
import { NotFound, Problem } from '../common/problem';
import { CountingService } from '../counting/counting.service';
import { DatabaseUnavailable } from '../database/errors';
import { type Append, InboxRepository, WebsitesChanged } from './inbox.repository';
import { type Arrival, type DropReason, Judge, type Judgement } from './judge';
import { type TrackedWebsite, TrackedWebsites } from './tracked-websites';

export type Verdict =
  { status: 'accepted' } | { status: 'duplicate' } | { status: 'dropped'; reason: DropReason };

/** Events of one request for one website. */
export interface Submission {
  domain: string;
  /** Where the request named the website by its id, it has to be that one still. */
  websiteId?: number;
  arrivals: Arrival[];
  /** About how much memory it takes while it waits. */
  bytes: number;
}

interface Waiting {
  submission: Submission;
  website: TrackedWebsite;
  judgements: Judgement[];
  resolve: (verdicts: Verdict[]) => void;
  reject: (error: unknown) => void;
}

const MOST_EVENTS_A_COMMIT = 2000;
/** As many rows can be inserted where each is a SELECT of its own. */
const MOST_SUBMISSIONS_A_COMMIT = 500;
/** While the database writes one down, another is on its way; more of them would only be smaller. */
const MOST_COMMITS = 2;
const WORTH_A_COMMIT = 16;
const MOST_BYTES_WAITING = 32 * 1024 * 1024;

export class Overloaded extends Problem {
  constructor() {
    super(503, 'overloaded', 'More events come in than can be stored; try again.', {
      headers: { 'Retry-After': '1' },
    });
  }
}

/** Stores events before they are answered. What arrives while commits run goes into the next one together. */
@Injectable()
export class Inbox {
  private queue: Waiting[] = [];
  private bytesWaiting = 0;
  private committing = 0;

  constructor(
    private readonly repository: InboxRepository,
    private readonly websites: TrackedWebsites,
    private readonly judge: Judge,
    private readonly counting: CountingService,
  ) {}

  async submit(submission: Submission): Promise<Verdict[]> {
    if (this.bytesWaiting + submission.bytes > MOST_BYTES_WAITING) throw new Overloaded();
    this.bytesWaiting += submission.bytes;
    try {
      const website = this.websites.known(submission.domain) ?? (await this.websites.find(submission.domain));
      return await this.enqueue(submission, existing(submission, website));
    } finally {
      this.bytesWaiting -= submission.bytes;
    }
  }

  private enqueue(submission: Submission, website: TrackedWebsite): Promise<Verdict[]> {
    const judgements = this.judgeAll(submission, website);
    const verdicts = new Promise<Verdict[]>((resolve, reject) => {
      this.queue.push({ submission, website, judgements, resolve, reject });
    });
    const isWorthAnother = this.committing < MOST_COMMITS && this.queue.length >= WORTH_A_COMMIT;
    if (this.committing === 0 || isWorthAnother) void this.commitAll();
    return verdicts;
  }

  private async commitAll(): Promise<void> {
    this.committing++;
    while (this.queue.length > 0) {
      // Whatever the event loop has read by now goes along.
      await new Promise(setImmediate);
      const batch = this.takeBatch();
      if (batch.length === 0) break;
      try {
        await this.commit(batch);
      } catch (error) {
        refuse(batch, error);
        // Whoever waits behind a database that does not answer would wait too long.
        if (error instanceof DatabaseUnavailable) refuse(this.queue.splice(0), error);
      }
    }
    this.committing--;
  }

  private takeBatch(): Waiting[] {
    let events = 0;
    const end = this.queue.findIndex(
      ({ judgements }, index) =>
        index === MOST_SUBMISSIONS_A_COMMIT || (events += judgements.length) > MOST_EVENTS_A_COMMIT,
    );
    return this.queue.splice(0, end < 0 ? this.queue.length : Math.max(1, end));
  }

  /** A website may have changed since an event was judged: then all are judged again, on what is true now. */
  private async commit(batch: Waiting[]): Promise<void> {
    let waiting = batch;
    while (waiting.length > 0) {
      if (waiting.some(({ website }) => website.version !== this.websites.version)) {
        waiting = await this.judgedAgain(waiting);
        continue;
      }
      const appends = waiting.map(({ website, judgements, submission }) =>
        appendOf(website, judgements, submission),
      );
      try {
        const accepted = await this.repository.append(appends, this.websites.version);
        waiting.forEach(({ judgements, resolve }, index) =>
          resolve(verdictsOf(judgements, accepted[index]!)),
        );
        this.counting.nudge();
        return;
      } catch (error) {
        if (!(error instanceof WebsitesChanged)) throw error;
        await this.websites.lookAgain();
      }
    }
  }

  private async judgedAgain(waiting: Waiting[]): Promise<Waiting[]> {
    const still: Waiting[] = [];
    for (const one of waiting) {
      try {
        const { domain } = one.submission;
        const website = existing(
          one.submission,
          this.websites.known(domain) ?? (await this.websites.find(domain)),
        );
        still.push({ ...one, website, judgements: this.judgeAll(one.submission, website) });
      } catch (error) {
        if (!(error instanceof NotFound)) throw error;
        one.reject(error);
      }
    }
    return still;
  }

  private judgeAll({ arrivals }: Submission, website: TrackedWebsite): Judgement[] {
    return arrivals.map((arrival) => this.judge.judge(arrival, website));
  }
}

function existing({ websiteId }: Submission, website: TrackedWebsite | undefined): TrackedWebsite {
  if (!website || (websiteId !== undefined && website.id !== websiteId)) throw new NotFound('website');
  return website;
}

function appendOf(website: TrackedWebsite, judgements: Judgement[], { arrivals }: Submission): Append {
  return {
    websiteId: website.id,
    hits: judgements.map((judgement, index) =>
      'hit' in judgement ? { hit: judgement.hit, eventId: arrivals[index]!.event.id } : undefined,
    ),
  };
}

function verdictsOf(judgements: Judgement[], accepted: boolean[]): Verdict[] {
  return judgements.map((judgement, index) => {
    if ('dropped' in judgement) return { status: 'dropped', reason: judgement.dropped };
    return { status: accepted[index] ? 'accepted' : 'duplicate' };
  });
}

function refuse(waiting: Waiting[], error: unknown): void {
  for (const { reject } of waiting) reject(error);
}
