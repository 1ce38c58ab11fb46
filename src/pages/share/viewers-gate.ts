import { Injectable } from '@nestjs/common';
import { networkOf } from '../../common/address';
import { type Caller, Gate } from '../../common/gate';
import { Problem } from '../../common/problem';
import { ViewersPauses } from './viewers-pauses';

const LIMITS = { running: 2, runningOfOwner: 1, waiting: 32, waitingOfOwner: 8, patienceMs: 10_000 };
/** Trying passwords leaves the places of questions, and most of those in which owners set passwords, alone. */
const TRIAL_LIMITS = { running: 1, runningOfOwner: 1, waiting: 6, waitingOfOwner: 2, patienceMs: 3000 };

/** In the gates behind this one, all viewers together are one caller, which is no user. */
const VIEWERS = -1;

/** Lets viewers of shared pages have one thing at a time done for them, each address in its turn. */
@Injectable()
export class ViewersGate {
  private readonly questions = new Gate(LIMITS);
  private readonly looks = new Gate(LIMITS);
  private readonly trials = new Gate(TRIAL_LIMITS);

  private readonly pauses = new ViewersPauses();

  /** For what reads hits of a website, which may take seconds. */
  async ask<T>(
    address: string,
    websiteId: number,
    signal: AbortSignal,
    work: (caller: Caller) => Promise<T>,
  ): Promise<T> {
    const asking = `${networkOf(address)} ${websiteId}`;
    this.pauses.expectNone(asking);
    return run(this.questions, address, signal, async (caller) => {
      // An earlier question in the line may have taken too long meanwhile.
      this.pauses.expectNone(asking);
      try {
        return await work(caller);
      } catch (error) {
        if (error instanceof Problem && error.code === 'question_too_long') this.pauses.add(asking);
        throw error;
      }
    });
  }

  /** For what is known without hits, and so need not wait for a question of the same address. */
  look<T>(address: string, signal: AbortSignal, work: (caller: Caller) => Promise<T>): Promise<T> {
    return run(this.looks, address, signal, work);
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
): Promise<T> {
  const viewer = { owner: networkOf(address), signal };
  const doOthersWait = () => gate.isWantedByOthers(viewer);
  return gate.run(viewer, () => work({ owner: VIEWERS, signal, doOthersWait, isAnonymous: true }));
}
