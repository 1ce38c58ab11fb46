/** Numbers as narrow as their largest one allows. */
export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Codes that are mostly zero: the others, and their places. */
export interface FewCodes {
  readonly positions: Uint32Array;
  readonly codes: Codes;
}

const MIN_LENGTH = 64;
/** How many times as large as its numbers a buffer may be that is kept. */
const MAX_UNUSED = 1.25;

/** Codes of places, as many as come. Those that are zero are not put and take no room until another one follows. */
export class CodeList {
  /** How many are not zero. */
  private set = 0;
  private codes: Codes = new Uint8Array(0);
  /** Of these, so that a code is put without a look at their kind. */
  private room = 0;
  private limit = 0x100;

  get bytes(): number {
    return this.codes.byteLength;
  }

  /** A code that is not zero, behind all that were put before. */
  put(place: number, code: number): void {
    if (place >= this.room || code >= this.limit) this.makeRoom(place, code);
    putInto(this.codes, place, code);
    this.set++;
  }

  /** The code of a place. */
  at(place: number): number {
    return this.codes[place] ?? 0;
  }

  /** Its room stays. */
  clear(): void {
    this.set = 0;
    this.codes.fill(0);
  }

  /** The codes of some places; undefined where none was put. */
  gathered(places: Uint32Array): Codes | undefined {
    if (this.set === 0) return undefined;
    const { codes } = this;
    const some = sameKind(codes, places.length);
    for (let index = 0; index < places.length; index++) some[index] = codes[places[index]!] ?? 0;
    return some;
  }

  /** Whether a list of codes is packed as a few. */
  areFew(size: number): boolean {
    return areFew(this.set, size, this.codes.BYTES_PER_ELEMENT);
  }

  /** Codes, or the few of them that are not zero; `order` says of each place which of the codes stands there. */
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

/** Where numbers of one kind are written alone, that takes a third of the time. */
function putInto(codes: Codes, place: number, code: number): void {
  if (codes instanceof Uint8Array) codes[place] = code;
  else if (codes instanceof Uint16Array) codes[place] = code;
  else codes[place] = code;
}

function gathered(codes: Codes, order: Uint32Array): Codes {
  const all = sameKind(codes, order.length);
  for (let place = 0; place < order.length; place++) all[place] = codes[order[place]!]!;
  return all;
}

/** Lists one behind the other. */
export function joined(lists: ArrayLike<number>[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  return all;
}

/** As a list of them packs them. */
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

/** The narrowest kind that holds a code. */
export function kindFor(code: number): typeof Uint8Array | typeof Uint16Array | typeof Uint32Array {
  if (code < 0x100) return Uint8Array;
  return code < 0x10000 ? Uint16Array : Uint32Array;
}

/** Whether codes that are not zero take less room with their places than all codes do. */
function areFew(set: number, size: number, bytes: number): boolean {
  return set * (4 + bytes) < size * bytes;
}

/** The codes from one place to another. */
export function slicedCodes(packed: Codes | FewCodes, begin: number, end: number): Codes | FewCodes {
  if (!('positions' in packed)) return packed.subarray(begin, end);
  const { positions, codes } = packed;
  const [first, last] = [placeOf(positions, begin), placeOf(positions, end)];
  const own = positions.slice(first, last);
  for (let index = 0; index < own.length; index++) own[index]! -= begin;
  return { positions: own, codes: codes.subarray(first, last) };
}

/** Of the first position that is not before another. */
export function placeOf(positions: Uint32Array, position: number): number {
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
  return 'positions' in packed ? packed.positions.byteLength + packed.codes.byteLength : packed.byteLength;
}

/** Numbers that stand in a larger buffer keep all of it in memory, so they are copied where it is much larger. */
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
