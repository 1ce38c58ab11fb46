import { Counter, Gauge } from '../measures';
import type { CacheSize } from './memory-limits';

const BYTES = new Gauge('cache_bytes', 'The memory that a cache holds.', ['cache']);
const LOOKS = new Counter('cache_looks_total', 'Look-ups in a cache, by whether it had the entry.', [
  'cache',
  'found',
]);

/** What one cache counts. Several caches of one name add up, and a cache without a name is not counted. */
export class CacheMeasure {
  private readonly name: string | undefined;
  private bytes = 0;

  constructor(size: CacheSize) {
    this.name = typeof size === 'string' ? size : size.name;
  }

  look(isFound: boolean): void {
    if (this.name !== undefined) LOOKS.add(1, this.name, isFound ? 'yes' : 'no');
  }

  holds(bytes: number): void {
    if (this.name === undefined || bytes === this.bytes) return;
    BYTES.add(bytes - this.bytes, this.name);
    this.bytes = bytes;
  }
}
