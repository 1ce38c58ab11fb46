import type { Range } from '../../questions/plan/hit-query';
import { hasDay } from '../../questions/plan/range-days';
import type { BlockView } from '../select/block-view';
import { type FindChain, openChain, type SteppedHits, strictChain } from './step-order';
import type { FunnelDetails } from './funnel-details';
import type { FunnelRequest } from '../../questions/funnel-request';

/** A funnel over one range. Each visitor of a day counts once, with the steps of the furthest chain. */
export class FunnelScan {
  /** The visitors of each step. */
  readonly visitors: number[];
  private readonly find: FindChain;
  private readonly isOfDay: boolean;
  /** The hits of the furthest chain of a visitor, and room for another one. */
  private furthest: Uint32Array;
  private other: Uint32Array;

  constructor(
    { steps, order, within }: FunnelRequest,
    private readonly range: Range,
    private readonly details?: FunnelDetails,
  ) {
    this.visitors = steps.map(() => 0);
    this.find = order === 'open' ? openChain : strictChain;
    this.isOfDay = within === 'day';
    [this.furthest, this.other] = [new Uint32Array(steps.length), new Uint32Array(steps.length)];
  }

  covers(day: number): boolean {
    return hasDay(this.range, day);
  }

  add(view: BlockView, hits: SteppedHits): void {
    const { begins, isKnown, visitors } = view.block;
    const { endOfVisit } = view;
    const addDetails = this.details?.adding(view, hits.shown);
    for (let visitor = 0; visitor < visitors; visitor++) {
      if (isKnown[visitor] === 0) continue;
      const [begin, end] = [begins[visitor]!, begins[visitor + 1]!];
      const length = this.isOfDay
        ? this.find(hits, begin, end, this.visitors.length, this.furthest)
        : this.chainOfVisits(hits, begin, end, endOfVisit);
      if (length === 0) continue;
      for (let step = 0; step < length; step++) this.visitors[step]! += 1;
      addDetails?.(visitor, this.furthest, length);
    }
  }

  addPartial(visitors: readonly number[]): void {
    for (const [step, own] of visitors.entries()) this.visitors[step]! += own;
  }

  /** Of several visits that reach as far, the first one. */
  private chainOfVisits(
    hits: SteppedHits,
    begin: number,
    end: number,
    endOfVisit: BlockView['endOfVisit'],
  ): number {
    const steps = this.visitors.length;
    let length = 0;
    let first = firstStart(hits, begin, end);
    while (first < end && length < steps) {
      const next = endOfVisit(first, end);
      const own = this.find(hits, first, next, steps, this.other);
      if (own > length) {
        length = own;
        [this.furthest, this.other] = [this.other, this.furthest];
      }
      first = firstStart(hits, next, end);
    }
    return length;
  }
}

/** The first hit that can be the first step. */
function firstStart({ bits }: SteppedHits, begin: number, end: number): number {
  let hit = begin;
  while (hit < end && (bits[hit]! & 1) === 0) hit++;
  return hit;
}
