/**
 * Remembers what was made for the keys used last, and forgets the others. What is asked for again moves from the old
 * generation to the young one, so that most look-ups change nothing.
 */
export class BoundedCache<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();

  constructor(private readonly most: number) {}

  get size(): number {
    return this.young.size + this.old.size;
  }

  get(key: string, make: (key: string) => V): V {
    return this.young.get(key) ?? this.remember(copyOf(key), this.old.get(key) ?? make(key));
  }

  private remember(key: string, value: V): V {
    if (this.young.size >= this.most / 2) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
    return value;
  }
}

/** What is cut out of a header or a body holds all of it in memory; what is put together anew does not. */
function copyOf(text: string): string {
  return ` ${text}`.slice(1);
}
