import { placesOfOnes } from './row-masks';
import { type Matches, visitorFrom, visitorsOf } from './matching-rows';
import type { BlockView } from './block-view';

/** The places of some visitors' events, and the visitor of each. */
export interface EventsOfVisitors {
  readonly events: Uint32Array;
  readonly visitors: Uint32Array;
}

/** The counted hits and visitors of a block. A missing list means all. */
export class SelectedRows {
  private ofVisitors: Uint8Array | undefined;
  private ofHits: Uint32Array | undefined;
  private places: Uint32Array | undefined;
  private events: EventsOfVisitors | undefined;

  constructor(
    private readonly view: BlockView,
    private readonly matches: Matches,
  ) {}

  /** Tells whether the hits are listed without a walk over all of the block. */
  get areFew(): boolean {
    return false;
  }

  get isEmpty(): boolean {
    const { visitors, hits } = this.matches;
    return visitors?.includes(1) === false || hits?.includes(1) === false;
  }

  /** Tells whether hits count independent of their visitors. */
  get isOfHits(): boolean {
    return this.matches.visitors === undefined;
  }

  /** One for each hit that counts if its visitor does, else zero. */
  get hits(): Uint8Array | undefined {
    return this.matches.hits;
  }

  /** The places of these hits. */
  get hitPlaces(): Uint32Array | undefined {
    const { hits } = this.matches;
    return hits && (this.ofHits ??= this.placesIn(hits));
  }

  /** One for each visitor with a counted hit, else zero. */
  get visitors(): Uint8Array | undefined {
    if (this.matches.hits && !this.ofVisitors) this.view.reserve(this.view.block.visitors);
    return (this.ofVisitors ??= visitorsOf(this.matches, this.view));
  }

  /** The numbers of these visitors. */
  get visitorPlaces(): Uint32Array | undefined {
    const { visitors } = this;
    return visitors && (this.places ??= this.placesIn(visitors));
  }

  /** All events of these visitors. */
  get eventsOfVisitors(): EventsOfVisitors {
    const listFor = (size: number) => this.view.numbers(size);
    return (this.events ??= eventsOf(this.view, this.visitors, listFor));
  }

  /** Calls back for each selected hit, in order. */
  forEach(each: (hit: number, visitor: number) => void): void {
    const { begins, visitors: size } = this.view.block;
    const places = this.isOfHits ? this.hitPlaces : undefined;
    if (places) {
      for (let index = 0, visitor = 0; index < places.length; index++) {
        visitor = visitorFrom(visitor, places[index]!, begins);
        each(places[index]!, visitor);
      }
      return;
    }
    const { hits, visitorPlaces } = this;
    const many = visitorPlaces?.length ?? size;
    for (let index = 0; index < many; index++) {
      const visitor = visitorPlaces ? visitorPlaces[index]! : index;
      for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++)
        if (!hits || hits[hit] === 1) each(hit, visitor);
    }
  }

  private placesIn(rows: Uint8Array): Uint32Array {
    return placesOfOnes(rows, (size) => this.view.numbers(size));
  }
}

/** The events of visitors with a one in the list, or of all. */
export function eventsOf(
  { events: all, visitorOfEvents }: BlockView,
  counted: Uint8Array | undefined,
  listFor: (size: number) => Uint32Array = (size) => new Uint32Array(size),
): EventsOfVisitors {
  if (!counted) return { events: all, visitors: visitorOfEvents };
  const [events, visitors] = [listFor(all.length), listFor(all.length)];
  let found = 0;
  for (let index = 0; index < all.length; index++) {
    const visitor = visitorOfEvents[index]!;
    events[found] = all[index]!;
    visitors[found] = visitor;
    found += counted[visitor]!;
  }
  return { events: events.subarray(0, found), visitors: visitors.subarray(0, found) };
}
