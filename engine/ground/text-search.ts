/** Folds texts for a search. Both sides of a comparison and both databases must use it. */
export function foldCase(text: string): string {
  return text.toLowerCase();
}

/**
 * Up to this length, the searches of the JavaScript engine read a text about once. They shift a longer part by its last
 * units alone, and may compare each place of a text with the whole part.
 */
const MAX_BUILT_IN = 250;

/** Finds a part in one pass over what is searched (Knuth, Morris and Pratt). */
class OnePass {
  /** For each length, that of the longest other start of the part that also ends it. */
  private readonly borders: Uint32Array;
  private matched = 0;

  constructor(private readonly part: ArrayLike<number>) {
    this.borders = new Uint32Array(part.length);
    for (let end = 1; end < part.length; end++) {
      this.read(part[end]!);
      this.borders[end] = this.matched;
    }
  }

  restart(): void {
    this.matched = 0;
  }

  /** Tells whether what was read since the restart ends with the part. */
  read(unit: number): boolean {
    const { part, borders } = this;
    let matched = this.matched === part.length ? borders[part.length - 1]! : this.matched;
    while (matched > 0 && part[matched] !== unit) matched = borders[matched - 1]!;
    if (part[matched] === unit) matched++;
    this.matched = matched;
    return matched === part.length;
  }
}

/** Tells whether texts contain a part, in a time that grows with the length of the text alone. */
export function containing(part: string): (text: string) => boolean {
  if (part.length <= MAX_BUILT_IN) return (text) => text.includes(part);
  let pass: OnePass | undefined;
  return (text) => {
    if (text.length < part.length) return false;
    pass ??= new OnePass(Uint16Array.from({ length: part.length }, (_, index) => part.charCodeAt(index)));
    pass.restart();
    for (let index = 0; index < text.length; index++) if (pass.read(text.charCodeAt(index))) return true;
    return false;
  };
}

/** Finds the first place of a part in bytes, in a time that grows with their number alone. -1 if there is none. */
export function placeFinder(part: Buffer): (bytes: Buffer) => number {
  if (part.length <= MAX_BUILT_IN) return (bytes) => bytes.indexOf(part);
  const pass = new OnePass(part);
  return (bytes) => {
    pass.restart();
    for (let index = 0; index < bytes.length; index++)
      if (pass.read(bytes[index]!)) return index + 1 - part.length;
    return -1;
  };
}
