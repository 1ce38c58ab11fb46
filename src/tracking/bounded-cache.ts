interface Entry<V> {
  key: string;
  value: V;
}

/** Remembers what was made for the keys used last, and forgets the others. */
export class BoundedCache<V> {
  private readonly entries = new Map<string, Entry<V>>();

  constructor(private readonly most: number) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: string, make: (key: string) => V): V {
    const entry = this.entries.get(key) ?? { key: copyOf(key), value: make(key) };
    this.entries.delete(entry.key);
    this.entries.set(entry.key, entry);
    if (this.entries.size > this.most) this.forgetOldest();
    return entry.value;
  }

  /** A map lists its keys in the order in which they were set. */
  private forgetOldest(): void {
    for (const key of this.entries.keys()) {
      this.entries.delete(key);
      return;
    }
  }
}

/** What is cut out of a header or a body holds all of it in memory; what is put together anew does not. */
function copyOf(text: string): string {
  return ` ${text}`.slice(1);
}
