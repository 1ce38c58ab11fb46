import { placesOfOnes } from './ones';
import { type Matches, visitorsOf } from './matches';
import type { BlockView } from './block-view';

/** What of a block is counted: the hits that pass, and the visitors that have one. Where all do there is no list. */
export class Selected {
  private ofVisitors: Uint8Array | undefined;
  private ofHits: Uint32Array | undefined;
  private places: Uint32Array | undefined;

  constructor(
    private readonly view: BlockView,
    private readonly matches: Matches,
  ) {}

  get isEmpty(): boolean {
    const { visitors, hits } = this.matches;
    return visitors?.includes(1) === false || hits?.includes(1) === false;
  }

  /** Whether hits count whatever their visitors are. */
  get isOfHits(): boolean {
    return this.matches.visitors === undefined;
  }

  /** One for each hit that counts if its visitor does, else zero. */
  get hits(): Uint8Array | undefined {
    return this.matches.hits;
  }

  /** The places of these. */
  get hitPlaces(): Uint32Array | undefined {
    const { hits } = this.matches;
    return hits && (this.ofHits ??= placesOfOnes(hits));
  }

  /** One for each visitor that has a hit that counts, else zero. */
  get visitors(): Uint8Array | undefined {
    return (this.ofVisitors ??= visitorsOf(this.matches, this.view));
  }

  /** The numbers of these. */
  get visitorPlaces(): Uint32Array | undefined {
    const { visitors } = this;
    return visitors && (this.places ??= placesOfOnes(visitors));
  }
}
