/** Texts or nulls as bytes, which can be transferred between threads without a copy and which the GC does not scan. */
export interface TextList {
  readonly bytes: Uint8Array;
  /** The end offset of each text. */
  readonly ends: Uint32Array;
  readonly isSet: Uint8Array;
}

export function textList(texts: (string | null)[]): TextList {
  const ends = new Uint32Array(texts.length);
  let size = 0;
  for (const [index, text] of texts.entries()) ends[index] = size += Buffer.byteLength(text ?? '');
  const bytes = Buffer.alloc(size);
  for (const [index, text] of texts.entries()) bytes.write(text ?? '', index === 0 ? 0 : ends[index - 1]!);
  return { bytes, ends, isSet: Uint8Array.from(texts, (text) => (text === null ? 0 : 1)) };
}

export function textAt({ bytes, ends, isSet }: TextList, index: number): string | null {
  if (isSet[index] === 0) return null;
  const begin = index === 0 ? 0 : ends[index - 1]!;
  return Buffer.from(bytes.buffer, bytes.byteOffset + begin, ends[index]! - begin).toString();
}

export function arraysOfList({ bytes, ends, isSet }: TextList): ArrayBufferView[] {
  return [bytes, ends, isSet];
}
