import { Injectable } from '@nestjs/common';
import { networkOf } from '../../common/address';
import { type Caller, Gate } from '../../../engine/ground/gate';
import { Problem, TooManyRequests } from '../../../engine/ground/errors';

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 300_000;
/** After this time without another slow query, pauses begin with the shortest again. */
const FORGOTTEN_AFTER_MS = 600_000;
const TOOK_TOO_LONG = 'Earlier queries from this address about this website took too long.';
const MAX_KNOWN = 10_000;

interface Pause {
  ms: number;
  endsAt: number;
}

/** Growing pauses for viewers whose queries about a website take too long. */
export class ViewersPauses {
  /** The latest addition is last. */
  private readonly known = new Map<string, Pause>();

  constructor(private readonly now = () => performance.now()) {}

  get size(): number {
    return this.known.size;
  }

  /** Refuses a viewer during a pause. */
  expectNone(asking: string): void {
    const { endsAt = 0 } = this.known.get(asking) ?? {};
    const leftMs = endsAt - this.now();
    if (leftMs > 0) throw new TooManyRequests(TOOK_TOO_LONG, Math.ceil(leftMs / 1000));
  }

  add(asking: string): void {
    const now = this.now();
    const last = this.known.get(asking);
    const isForgotten = !last || now - last.endsAt > FORGOTTEN_AFTER_MS;
    const ms = isForgotten ? FIRST_PAUSE_MS : Math.min(2 * last.ms, LONGEST_PAUSE_MS);
    this.known.delete(asking);
    this.known.set(asking, { ms, endsAt: now + ms });
    if (this.known.size > MAX_KNOWN) this.known.delete(this.known.keys().next().value!);
  }
}

const LIMITS = { running: 2, runningOfOwner: 1, waiting: 128, waitingOfOwner: 8, patienceMs: 10_000 };
/** One for a website, so that a website with slow answers leaves places for others. */
const LOOKS_AT_ONCE = 4;
/** Password trials use places of their own, and leave most of the places for owners who set passwords. */
const TRIAL_LIMITS = { running: 1, runningOfOwner: 1, waiting: 32, waitingOfOwner: 2, patienceMs: 3000 };

/** The next gates see all viewers as one caller, who is not a user. */
const VIEWERS = -1;

/** Runs one request of a viewer at a time. The requests of an address run in turn. */
@Injectable()
export class ViewersGate {
  private readonly hitQueries = new Gate(LIMITS);
  private readonly looks = new Gate({ ...LIMITS, running: LOOKS_AT_ONCE });
  private readonly trials = new Gate(TRIAL_LIMITS);

  private readonly pauses = new ViewersPauses();

  /** For requests that read hits of a website, which may take seconds. */
  async ask<T>(
    address: string,
    websiteId: number,
    signal: AbortSignal,
    work: (caller: Caller) => Promise<T>,
  ): Promise<T> {
    const asking = `${networkOf(address)} ${websiteId}`;
    this.pauses.expectNone(asking);
    const unlessPaused = async (caller: Caller) => {
      // An earlier query in the line may have taken too long meanwhile.
      this.pauses.expectNone(asking);
      try {
        return await work(caller);
      } catch (error) {
        if (error instanceof Problem && error.code === 'question_too_long') this.pauses.add(asking);
        throw error;
      }
    };
    return run(this.hitQueries, address, signal, unlessPaused);
  }

  /** For requests without hits. They need not wait for a query of the same address. */
  look<T>(
    address: string,
    websiteId: number,
    signal: AbortSignal,
    work: (caller: Caller) => Promise<T>,
  ): Promise<T> {
    return run(this.looks, address, signal, work, websiteId);
  }

  tryPassword<T>(address: string, signal: AbortSignal, work: (caller: Caller) => Promise<T>): Promise<T> {
    return run(this.trials, address, signal, work);
  }
}

function run<T>(
  gate: Gate,
  address: string,
  signal: AbortSignal,
  work: (caller: Caller) => Promise<T>,
  /** Set if there is only one request about it at a time. */
  websiteId?: number,
): Promise<T> {
  const viewer = { owner: networkOf(address), signal };
  const doOthersWait = () => gate.isWantedByOthers(viewer);
  const begin = () => work({ owner: VIEWERS, signal, doOthersWait, isAnonymous: true });
  return gate.run(viewer, begin, websiteId);
}
