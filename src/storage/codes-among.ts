import { copyOf } from './part-texts';
import type { TextCodes } from './text-codes';

/** The codes of some texts among others, each looked up once it is needed. */
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

  /** A text is a slice of all those of its batch. */
  private codeFor(text: string): number {
    return this.known.find(text) ?? this.known.codeOf(copyOf(text));
  }
}
