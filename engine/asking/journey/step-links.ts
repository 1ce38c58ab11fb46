import { hashOf } from '../count/pair-numbers';
import { CountTable } from '../walk/count-table';
import { OTHER_ITEM, START } from './items';

const LEAST_SLOTS = 64;
/** A slot has the two items of a link, and its visits, or zero if it is free. They are read together. */
const WORDS = 3;
const VISITS = 2;
const MAX_FILLED = 0.6;
const GROWTH = 2;

/** The visits from each item of a step to each item of the next one: a hash table without an object for each link. */
export class StepLinks {
  /** Tells whether new items are counted together. */
  isClosed = false;
  /** Tells whether an item was counted with others. */
  isMerged = false;
  /** The links from the start, by the item that they lead to. */
  private readonly first = new CountTable(1);
  /** What is counted together, by the item that it leads from. */
  private readonly others = new CountTable(1);
  private size = 0;
  private mask = LEAST_SLOTS - 1;
  private table = new Uint32Array(WORDS * LEAST_SLOTS);

  get bytes(): number {
    return this.first.bytes + this.others.bytes + this.table.byteLength;
  }

  /** Counts visits. Returns the item that they are counted in, from which their next links lead. */
  add(from: number, to: number, visits = 1): number {
    if (from === START) return this.addFirst(to, visits);
    const place = this.placeOf(from, to);
    if (to === OTHER_ITEM || (this.table[place + VISITS]! === 0 && this.isClosed)) {
      this.isMerged = true;
      this.others.add(from, 0, visits);
      return OTHER_ITEM;
    }
    this.count(place, from, to, visits);
    return to;
  }

  /** In no order. */
  forEach(work: (from: number, to: number, visits: number) => void): void {
    const { first, others, table } = this;
    for (const item of first.counted(0)) work(START, item, first.of(item, 0));
    for (const item of others.counted(0)) work(item, OTHER_ITEM, others.of(item, 0));
    for (let place = 0; place < table.length; place += WORDS)
      if (table[place + VISITS]! > 0) work(table[place]!, table[place + 1]!, table[place + VISITS]!);
  }

  private addFirst(to: number, visits: number): number {
    const isKnown = !this.isClosed || this.first.of(to, 0) > 0;
    this.isMerged ||= !isKnown;
    const counted = isKnown ? to : OTHER_ITEM;
    this.first.add(counted, 0, visits);
    return counted;
  }

  private count(place: number, from: number, to: number, visits: number): void {
    const { table } = this;
    table[place + VISITS]! += visits;
    if (table[place + VISITS]! > visits) return;
    table[place] = from;
    table[place + 1] = to;
    if (++this.size > MAX_FILLED * (this.mask + 1)) this.enlarge();
  }

  /** The slot of a link, or a free one for it. */
  private placeOf(from: number, to: number): number {
    const { table, mask } = this;
    for (let slot = hashOf(from, to) & mask; ; slot = (slot + 1) & mask) {
      const place = WORDS * slot;
      if ((table[place] === from && table[place + 1] === to) || table[place + VISITS] === 0) return place;
    }
  }

  private enlarge(): void {
    const smaller = this.table;
    this.mask = GROWTH * (this.mask + 1) - 1;
    this.table = new Uint32Array(WORDS * (this.mask + 1));
    for (let old = 0; old < smaller.length; old += WORDS) {
      if (smaller[old + VISITS] === 0) continue;
      const place = this.placeOf(smaller[old]!, smaller[old + 1]!);
      for (let word = 0; word < WORDS; word++) this.table[place + word] = smaller[old + word]!;
    }
  }
}
