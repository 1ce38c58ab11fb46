/** Numbers in the narrowest array that holds the largest one. */
export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Codes that are mostly zero: the other codes, and their places. */
export interface FewCodes {
  readonly positions: Uint32Array;
  readonly codes: Codes;
}

const MIN_LENGTH = 64;
/** A longer buffer is copied instead of being held. */
const MAX_UNUSED = 1.25;

/** A growing list of codes by place. Zeros take no room until a code follows them. */
export class CodeList {
  /** The number of codes other than zero. */
  private set = 0;
  private codes: Codes = new Uint8Array(0);
  /** The room and the largest code of the array. A code within both is put without a look at the array's kind. */
  private room = 0;
  private limit = 0x100;

  get bytes(): number {
    return this.codes.byteLength;
  }

  /** Adds a code other than zero after all previous places. */
  put(place: number, code: number): void {
    if (place >= this.room || code >= this.limit) this.makeRoom(place, code);
    putInto(this.codes, place, code);
    this.set++;
  }

  /** The code of a place. */
  at(place: number): number {
    return this.codes[place] ?? 0;
  }

  /** Keeps the memory. */
  clear(): void {
    this.set = 0;
    this.codes.fill(0);
  }

  /** The codes of some places. Undefined if no code was put. */
  gathered(places: Uint32Array): Codes | undefined {
    if (this.set === 0) return undefined;
    const { codes } = this;
    const some = sameKind(codes, places.length);
    for (let index = 0; index < places.length; index++) some[index] = codes[places[index]!] ?? 0;
    return some;
  }

  /** Tells whether the list is packed as the few codes other than zero. */
  areFew(size: number): boolean {
    return areFew(this.set, size, this.codes.BYTES_PER_ELEMENT);
  }

  /** All codes, or only those other than zero. `order` has the place of the code for each row. */
  packed(size: number, order?: Uint32Array): Codes | FewCodes {
    if (this.areFew(size)) return this.few(size, order);
    const all = sameKind(this.codes, size);
    all.set(this.codes.subarray(0, size));
    return order ? gathered(all, order) : all;
  }

  private few(size: number, order?: Uint32Array): FewCodes {
    const { codes, set } = this;
    const few = { positions: new Uint32Array(set), codes: sameKind(codes, set) };
    for (let place = 0, next = 0; next < set && place < size; place++) {
      const own = order ? order[place]! : place;
      if (own >= codes.length || codes[own] === 0) continue;
      few.positions[next] = place;
      few.codes[next++] = codes[own]!;
    }
    return few;
  }

  private makeRoom(place: number, code: number): void {
    const length = place < this.codes.length ? this.codes.length : Math.max(MIN_LENGTH, 2 * place);
    const Wide = kindFor(code);
    const larger =
      Wide.BYTES_PER_ELEMENT > this.codes.BYTES_PER_ELEMENT ? new Wide(length) : sameKind(this.codes, length);
    larger.set(this.codes);
    this.codes = larger;
    this.room = length;
    this.limit = 2 ** (8 * larger.BYTES_PER_ELEMENT);
  }
}

/** With a loop of its own for each kind of array, this takes a third of the time. */
function putInto(codes: Codes, place: number, code: number): void {
  if (codes instanceof Uint8Array) codes[place] = code;
  else if (codes instanceof Uint16Array) codes[place] = code;
  else codes[place] = code;
}

/** The codes of some places, in their order. */
export function gathered(codes: Codes, order: Uint32Array): Codes {
  const all = sameKind(codes, order.length);
  for (let place = 0; place < order.length; place++) all[place] = codes[order[place]!]!;
  return all;
}

/** The lists, joined. */
export function joined(lists: ArrayLike<number>[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  return all;
}

/** Packs codes: few codes other than zero are a list of their places. */
export function packedCodes(codes: Codes): Codes | FewCodes {
  let [set, largest] = [0, 0];
  for (let place = 0; place < codes.length; place++) {
    const code = codes[place]!;
    if (code !== 0) set++;
    if (code > largest) largest = code;
  }
  const Narrow = kindFor(largest);
  if (!areFew(set, codes.length, Narrow.BYTES_PER_ELEMENT))
    return codes instanceof Narrow ? codes : new Narrow(codes);
  const few = { positions: new Uint32Array(set), codes: new Narrow(set) };
  for (let place = 0, next = 0; next < set; place++) {
    if (codes[place] === 0) continue;
    few.positions[next] = place;
    few.codes[next++] = codes[place]!;
  }
  return few;
}

/** The narrowest array for a code. */
export function kindFor(code: number): typeof Uint8Array | typeof Uint16Array | typeof Uint32Array {
  if (code < 0x100) return Uint8Array;
  return code < 0x10000 ? Uint16Array : Uint32Array;
}

/** Tells whether the codes other than zero, with their places, take less room than all codes. */
function areFew(set: number, size: number, bytes: number): boolean {
  return set * (4 + bytes) < size * bytes;
}

/** The codes of a range of places. */
export function slicedCodes(packed: Codes | FewCodes, begin: number, end: number): Codes | FewCodes {
  if (!('positions' in packed)) return packed.subarray(begin, end);
  const { positions, codes } = packed;
  const [first, last] = [positionFrom(positions, begin), positionFrom(positions, end)];
  const own = positions.slice(first, last);
  for (let index = 0; index < own.length; index++) own[index]! -= begin;
  return { positions: own, codes: codes.subarray(first, last) };
}

/** The index of the first position that is at least another position. */
export function positionFrom(positions: Uint32Array, position: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One code for each place. */
export function unpacked(packed: Codes | FewCodes, size: number): Codes {
  if (!('positions' in packed)) return packed;
  const { positions, codes } = packed;
  const all = sameKind(codes, size);
  for (let index = 0; index < positions.length; index++) all[positions[index]!] = codes[index]!;
  return all;
}

export function bytesOfCodes(packed: Codes | FewCodes): number {
  return listsIn(packed).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The lists that codes consist of. */
export function listsIn(packed: Codes | FewCodes): Codes[] {
  return 'positions' in packed ? [packed.positions, packed.codes] : [packed];
}

/** A view of a large buffer holds all of it in memory. If the buffer is much larger, the numbers are copied. */
export function owned(packed: Codes | FewCodes): Codes | FewCodes {
  if ('positions' in packed) return { ...packed, codes: ownedCodes(packed.codes) };
  return ownedCodes(packed);
}

function ownedCodes(codes: Codes): Codes {
  return codes.buffer.byteLength > MAX_UNUSED * codes.byteLength ? codes.slice() : codes;
}

function sameKind(codes: Codes, length: number): Codes {
  return new (codes.constructor as new (length: number) => Codes)(length);
}
