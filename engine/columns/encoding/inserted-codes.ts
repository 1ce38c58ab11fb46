import { type Codes, type FewCodes, kindFor } from '../../hits/codes/code-list';

/** Codes with others inserted: each before the code at the place named for it, in order. */
export function insertedCodes(
  packed: Codes | FewCodes,
  places: Uint32Array,
  added: Uint32Array,
): Codes | FewCodes {
  const Wide = kindFor(added.reduce((largest, code) => Math.max(largest, code), 0));
  if ('positions' in packed) return insertedFew(packed, places, added, Wide);
  const Kind = Wide.BYTES_PER_ELEMENT > packed.BYTES_PER_ELEMENT ? Wide : kindOf(packed);
  return inserted(packed, places, added, new Kind(packed.length + places.length));
}

/** Numbers with others inserted. */
export function inserted<T extends Codes>(
  numbers: Codes,
  places: Uint32Array,
  added: Uint32Array,
  into: T,
): T {
  let from = 0;
  for (let index = 0; index < places.length; index++) {
    const place = places[index]!;
    into.set(numbers.subarray(from, place), from + index);
    into[place + index] = added[index]!;
    from = place;
  }
  into.set(numbers.subarray(from), from + places.length);
  return into;
}

function insertedFew(
  { positions, codes }: FewCodes,
  places: Uint32Array,
  added: Uint32Array,
  Wide: ReturnType<typeof kindFor>,
): FewCodes {
  const size = positions.length + added.reduce((set, code) => set + Number(code !== 0), 0);
  const Kind = Wide.BYTES_PER_ELEMENT > codes.BYTES_PER_ELEMENT ? Wide : kindOf(codes);
  const few = { positions: new Uint32Array(size), codes: new Kind(size) };
  let before = 0;
  for (let index = 0, next = 0; next < size; next++) {
    while (index < places.length && added[index] === 0 && isNext(index)) index++;
    const isAdded = index < places.length && isNext(index);
    few.positions[next] = isAdded ? places[index]! + index : positions[before]! + index;
    few.codes[next] = isAdded ? added[index++]! : codes[before++]!;
  }
  return few;

  function isNext(index: number): boolean {
    return before === positions.length || places[index]! <= positions[before]!;
  }
}

function kindOf(codes: Codes): ReturnType<typeof kindFor> {
  return codes.constructor as ReturnType<typeof kindFor>;
}
