import { copyOf } from '../../storage/part-texts';
import { bytesOfText } from '../../common/byte-cache';
import { compareTexts } from '../../common/text';

/** What a value takes as an object and in a map, besides its text. */
const BYTES_PER_VALUE = 120;

export type WindowName = 'short' | 'long';

/** How many visitors were seen with a value in each window. */
export class LiveValue {
  short = 0;
  long = 0;

  constructor(
    readonly text: string,
    readonly values: LiveValues,
  ) {}
}

/** The values of one name. */
export class LiveValues {
  bytes = 0;
  private readonly known = new Map<string, LiveValue>();

  find(text: string): LiveValue | undefined {
    return this.known.get(text);
  }

  /** Texts of a batch are slices of one that has all of them. */
  add(text: string): LiveValue {
    const own = copyOf(text);
    const value = new LiveValue(own, this);
    this.known.set(own, value);
    this.bytes += BYTES_PER_VALUE + bytesOfText(text);
    return value;
  }

  remove({ text }: LiveValue): void {
    if (this.known.delete(text)) this.bytes -= BYTES_PER_VALUE + bytesOfText(text);
  }

  /** The values with most visitors. The others are passed over, not ordered. */
  first(size: number, window: WindowName): LiveValue[] {
    const first: LiveValue[] = [];
    for (const value of this.known.values()) {
      if (value[window] === 0) continue;
      const last = first.length < size ? undefined : first[size - 1]!;
      if (last && isBefore(last, value, window)) continue;
      first.splice(first.findLastIndex((one) => isBefore(one, value, window)) + 1, 0, value);
      if (first.length > size) first.pop();
    }
    return first;
  }
}

function isBefore(one: LiveValue, other: LiveValue, window: WindowName): boolean {
  const more = one[window] - other[window];
  return more > 0 || (more === 0 && compareTexts(one.text, other.text) < 0);
}
