import { type CodeList, positionFrom } from '../../hits/codes/code-list';
import type { HitRange, KnownTexts } from '../batches/batch';
import { copyOf, type DecodedTexts } from '../segments/part-texts';
import { NOT_SET, type TextCodes } from '../../hits/codes/text-codes';

/** The codes of some texts in a larger table, looked up on demand. */
export class CodesAmong {
  private readonly codes: Uint32Array;
  private readonly texts: readonly (string | null)[];
  private readonly first: number;

  constructor(
    private readonly known: TextCodes,
    texts: string[] | TextCodes,
  ) {
    [this.texts, this.first] = Array.isArray(texts) ? [texts, 1] : [texts.texts, 0];
    this.codes = new Uint32Array(this.texts.length + this.first);
  }

  of(text: number): number {
    return (this.codes[text] ||= this.codeFor(this.texts[text - this.first]!));
  }

  /** A text is a slice of all texts of its batch. */
  private codeFor(text: string): number {
    return this.known.find(text) ?? this.known.codeOf(copyOf(text));
  }
}

/** Puts the codes of some rows of a column into a list, beginning at a place. */
export function putCodes(
  into: CodeList,
  { texts, rows }: DecodedTexts | KnownTexts,
  known: TextCodes,
  first: number,
  { from, before }: HitRange,
): void {
  const codeOf = texts === known ? undefined : new CodesAmong(known, texts);
  const ownCode = (text: number) => (codeOf ? codeOf.of(text) : text);
  if (!('positions' in rows)) {
    for (let row = from; row < before; row++)
      if (rows[row] !== NOT_SET) into.put(first + row - from, ownCode(rows[row]!));
    return;
  }
  const { positions, codes } = rows;
  for (let index = positionFrom(positions, from); index < positions.length; index++) {
    if (positions[index]! >= before) return;
    if (codes[index] !== NOT_SET) into.put(first + positions[index]! - from, ownCode(codes[index]!));
  }
}
