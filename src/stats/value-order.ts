/** A value that is not in the order yet, and the one right before it in the dictionary. */
export interface Placement {
  id: number;
  /** Undefined where it comes first. */
  before: number | undefined;
}

/**
 * The ids of a dictionary in the order of their values. The order of two values never changes while the dictionary's
 * epoch is the same, so values that were added later only have to be put in their places.
 */
export class ValueOrder {
  /** From 1, by id; 0 for an id that is not in the order. */
  private places = new Uint32Array(0);

  constructor(private ids: Uint32Array) {
    this.number();
  }

  get bytes(): number {
    return this.ids.byteLength + this.places.byteLength;
  }

  has(id: number): boolean {
    return id < this.places.length && this.places[id] !== 0;
  }

  /** Adds values, which are in their own order; what stands before each is in the order already or comes earlier. */
  add(placements: Placement[]): void {
    const added = placements.filter(({ id }) => !this.has(id));
    const ids = new Uint32Array(this.ids.length + added.length);
    const gaps = new Map<number, number>();
    let [read, written] = [0, 0];
    for (const { id, before } of added) {
      const gap = before === undefined ? 0 : (gaps.get(before) ?? this.places[before]!);
      gaps.set(id, gap);
      ids.set(this.ids.subarray(read, gap), written);
      written += gap - read;
      read = gap;
      ids[written++] = id;
    }
    ids.set(this.ids.subarray(read), written);
    this.ids = ids;
    this.number();
  }

  /** Some of the wanted ids in the order, all of which have to be in it. */
  slice(wanted: ArrayLike<number>, skip: number, take: number): number[] {
    const isWanted = new Uint8Array(this.places.length);
    for (let index = 0; index < wanted.length; index++) isWanted[wanted[index]!] = 1;
    const found: number[] = [];
    let left = skip;
    for (let index = 0; index < this.ids.length && found.length < take; index++) {
      const id = this.ids[index]!;
      if (isWanted[id] === 1 && --left < 0) found.push(id);
    }
    return found;
  }

  private number(): void {
    const { ids } = this;
    let last = 0;
    for (let index = 0; index < ids.length; index++) last = Math.max(last, ids[index]!);
    this.places = new Uint32Array(last + 1);
    for (let index = 0; index < ids.length; index++) this.places[ids[index]!] = index + 1;
  }
}
