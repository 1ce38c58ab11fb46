import type { BlockView } from './block-view';
import { visitorFrom } from './matching-rows';
import { type EventsOfVisitors, eventsOf, SelectedRows } from './selected-rows';

/**
 * Hits of a block by their places. It needs no walk over the block, so that many lists of few hits cost little. Lists
 * of a byte a hit are those of the view: only one such list may be in use at a time.
 */
export class FewRows extends SelectedRows {
  private distinctVisitors: Uint32Array | undefined;
  private isMarked = { hits: false, visitors: false };

  constructor(
    private readonly ofView: BlockView,
    private readonly listed: Uint32Array,
  ) {
    super(ofView, {});
  }

  override get areFew(): boolean {
    return true;
  }

  override get isEmpty(): boolean {
    return this.listed.length === 0;
  }

  override get hitPlaces(): Uint32Array {
    return this.listed;
  }

  override get hits(): Uint8Array {
    return this.marked('hits', this.hitPlaces);
  }

  override get visitorPlaces(): Uint32Array {
    return (this.distinctVisitors ??= visitorsAt(this.listed, this.ofView.block.begins));
  }

  override get visitors(): Uint8Array {
    return this.marked('visitors', this.visitorPlaces);
  }

  /** Made at each call: a block may have many such lists of rows. */
  override get eventsOfVisitors(): EventsOfVisitors {
    return eventsOf(this.ofView, this.visitors);
  }

  /** Clears the lists for the next hits. */
  release(): void {
    if (this.isMarked.hits) mark(this.ofView.marks.hits, this.hitPlaces, 0);
    if (this.isMarked.visitors) mark(this.ofView.marks.visitors, this.visitorPlaces, 0);
    this.isMarked = { hits: false, visitors: false };
  }

  private marked(what: 'hits' | 'visitors', places: Uint32Array): Uint8Array {
    const list = this.ofView.marks[what];
    if (!this.isMarked[what]) mark(list, places, 1);
    this.isMarked[what] = true;
    return list;
  }
}

function mark(list: Uint8Array, places: Uint32Array, value: number): void {
  for (let index = 0; index < places.length; index++) list[places[index]!] = value;
}

/** The visitors of hits at ascending places, each once, in order. */
function visitorsAt(places: Uint32Array, begins: Uint32Array): Uint32Array {
  const visitors = new Uint32Array(places.length);
  let size = 0;
  for (let index = 0, next = 0, end = 0; index < places.length; index++) {
    const place = places[index]!;
    if (place < end) continue;
    const visitor = visitorFrom(next, place, begins);
    visitors[size++] = visitor;
    [next, end] = [visitor + 1, begins[visitor + 1]!];
  }
  return visitors.subarray(0, size);
}
