import type { Queryable } from '../../database/rows';
import type { Property } from '../../hits/fields';
import type { Hit } from '../../hits/hit';
import { MAX_PROPERTY_NAMES, type NamesByDay, readStoredNames } from '../../hits/events/property-names';
import { OTHER } from '../../hits/rules/value-limits';

const BYTES_PER_NAME = 250;

/**
 * Limits the number of a website's property names. Only the holder of the website's lease adds names, so the limit
 * holds for any number of processes. The cache is valid while the lease is unbroken.
 */
export class PropertyNames {
  private known: NamesByDay = new Map();
  private loadedOn = -1;
  /** New names, and names with a later day than stored. */
  private changed: NamesByDay = new Map();

  constructor(private readonly websiteId: number) {}

  /** The approximate memory of the cache. */
  get bytes(): number {
    return BYTES_PER_NAME * this.known.size;
  }

  /** Discards the preparation of a transaction that was not committed. */
  begin(): void {
    this.changed = new Map();
  }

  /** Renames properties beyond the limit to `OTHER`. */
  async limit(reader: Queryable, hits: Hit[]): Promise<Hit[]> {
    const days = hits.filter(hasProperties).map(({ day }) => day);
    if (days.length === 0) return hits;
    await this.load(reader, Math.max(...days));
    return hits.map((hit) => this.limited(hit));
  }

  prepared(): NamesByDay {
    return this.changed;
  }

  /** Call it after the commit. */
  remember(): void {
    for (const [name, day] of this.changed) this.known.set(name, day);
    this.begin();
  }

  /** Once a day, expired names make room. */
  private async load(reader: Queryable, day: number): Promise<void> {
    if (day <= this.loadedOn) return;
    this.known = await readStoredNames(reader, this.websiteId);
    this.loadedOn = day;
  }

  private limited(hit: Hit): Hit {
    return hit.properties ? { ...hit, properties: this.allowed(hit.properties, hit.day) } : hit;
  }

  private allowed(properties: Property[], day: number): Property[] {
    if (properties.every(([name]) => this.takes(name, day))) return properties;
    const limited = new Map<string, Property[1]>();
    for (const [name, value] of properties) {
      const allowed = this.takes(name, day) ? name : OTHER;
      if (!limited.has(allowed)) limited.set(allowed, value);
    }
    return [...limited];
  }

  /** Tells whether a name is within the limit. If so, its day is updated. */
  private takes(name: string, day: number): boolean {
    const last = this.changed.get(name) ?? this.known.get(name);
    if (last === undefined && this.size >= MAX_PROPERTY_NAMES) return false;
    if (last === undefined || last < day) this.changed.set(name, day);
    return true;
  }

  private get size(): number {
    let size = this.known.size;
    for (const name of this.changed.keys()) if (!this.known.has(name)) size++;
    return size;
  }
}

function hasProperties({ properties }: Hit): boolean {
  return properties !== null;
}
