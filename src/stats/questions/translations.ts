import { type TextList, textAt, textList } from '../../common/text-list';
import type { TextCodes } from '../../storage/text-codes';

/** Texts of another thread, from one of its codes on. */
export interface TheirTexts {
  readonly id: string;
  readonly from: number;
  readonly texts: TextList;
}

/** How many codes are known already of some of their texts, by the id of these. */
export type KnownSizes = Readonly<Record<string, number>>;

/** Threads may read a website anew, which gives its texts new ids. */
const MAX_IDS = 8;

/** The texts that the other thread does not know yet: all codes before them have been sent. */
export function untoldTexts({ id, texts }: TextCodes, known: KnownSizes): TheirTexts {
  const from = known[id] ?? 0;
  return { id, from, texts: textList(texts.slice(from)) };
}

/** Which codes stand for those of other threads, kept as long as these and their own are. */
export class Translations {
  private readonly known = new WeakMap<TextCodes, Map<string, Uint32Array>>();

  /** What other threads are told of; until they have answered nothing of it is forgotten. */
  sizesOf(codes: TextCodes[]): KnownSizes {
    const all = codes.flatMap((own) => {
      const ofOwn = this.known.get(own) ?? new Map<string, Uint32Array>();
      for (const id of [...ofOwn.keys()].slice(0, -MAX_IDS)) ofOwn.delete(id);
      return [...ofOwn];
    });
    return Object.fromEntries(all.map(([id, { length }]) => [id, length]));
  }

  /** For each of their codes the own one. */
  add(own: TextCodes, { id, from, texts }: TheirTexts): Uint32Array {
    const ofOwn = this.known.get(own) ?? new Map<string, Uint32Array>();
    const codes = new Uint32Array(from + texts.ends.length);
    codes.set(ofOwn.get(id) ?? []);
    for (let code = from; code < codes.length; code++) codes[code] = own.codeOf(textAt(texts, code - from));
    ofOwn.delete(id);
    ofOwn.set(id, codes);
    this.known.set(own, ofOwn);
    return codes;
  }
}
