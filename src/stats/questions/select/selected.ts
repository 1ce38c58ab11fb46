import { placesOfOnes } from './ones';
import { type Passed, visitorsOf } from './passed';
import type { StretchView } from './stretch-view';

/** What of a stretch is counted: the hits that pass, and the visitors that have one. Where all do there is no list. */
export class Selected {
  private ofVisitors: Uint8Array | undefined;
  private ofHits: Uint32Array | undefined;
  private places: Uint32Array | undefined;

  constructor(
    private readonly view: StretchView,
    private readonly passed: Passed,
  ) {}

  get isEmpty(): boolean {
    const { visitors, hits } = this.passed;
    return visitors?.includes(1) === false || hits?.includes(1) === false;
  }

  /** Whether hits count whatever their visitors are. */
  get isOfHits(): boolean {
    return this.passed.visitors === undefined;
  }

  /** One for each hit that counts if its visitor does, else zero. */
  get hits(): Uint8Array | undefined {
    return this.passed.hits;
  }

  /** The places of these. */
  get hitPlaces(): Uint32Array | undefined {
    const { hits } = this.passed;
    return hits && (this.ofHits ??= placesOfOnes(hits));
  }

  /** One for each visitor that has a hit that counts, else zero. */
  get visitors(): Uint8Array | undefined {
    return (this.ofVisitors ??= visitorsOf(this.passed, this.view));
  }

  /** The numbers of these. */
  get visitorPlaces(): Uint32Array | undefined {
    const { visitors } = this;
    return visitors && (this.places ??= placesOfOnes(visitors));
  }
}
