import type { Queryable } from '../../database/rows';
import { partName, readParts, expectColumns, HOMES } from '../segments/hit-segments';
import type { HitsOfDay } from '../stored-days';
import { Part } from '../segments/part';
import { type EncodedPart, STRUCTURE } from '../segments/part-format';
import type { PartTexts } from '../segments/part-texts';

/** The limit of a statement: at least one part is read. Each hit may have long texts of its own. */
const HITS_AT_ONCE = 32 * 1024;
const PARTS_AT_ONCE = 100;

/** A part, with its requested days in order. */
interface NeededPart {
  segment: number;
  part: number;
  days: number[];
  /** The approximate number of hits on these days. */
  hits: number;
}

/** A cache of parts. */
export interface PartCache {
  get(name: string): Part | undefined;
  /** The codes of its texts, which stay longer than the part. */
  texts(name: string): PartTexts;
  /** Also call it when columns were added to the part. */
  set(name: string, part: Part): void;
}

/** Reads the needed columns of parts in order. Small parts are read together. */
export class PartReader {
  /** The result of the last statement. */
  private read = new Map<string, Part>();

  constructor(
    private readonly reader: Queryable,
    private readonly websiteId: number,
    private readonly parts: NeededPart[],
    private readonly columns: readonly number[],
    private readonly cache: PartCache,
  ) {}

  async part(key: { segment: number; part: number }): Promise<Part> {
    const name = partName(key);
    const known = this.read.get(name) ?? this.cache.get(name);
    if (known && this.missingOf(known).length === 0) return known;
    await this.readFrom(this.parts.findIndex((one) => partName(one) === name));
    return this.read.get(name)!;
  }

  /**
   * Frees the parts of the last statement, except cached ones. Their blocks may no longer be used. A part that loses its
   * place in the cache is free as well, because queries about one website run one at a time.
   */
  release(): void {
    for (const [name, part] of this.read) if (this.cache.get(name) !== part) part.release();
    this.read = new Map();
  }

  private async readFrom(first: number): Promise<void> {
    this.release();
    const batch: NeededPart[] = [];
    const columns = new Set<number>();
    let hits = 0;
    for (const one of this.parts.slice(first, first + PARTS_AT_ONCE)) {
      const missing = this.missingOf(this.cache.get(partName(one)));
      if (missing.length === 0) continue;
      hits += one.hits;
      if (batch.length > 0 && hits > HITS_AT_ONCE) break;
      batch.push(one);
      for (const column of missing) columns.add(column);
    }
    const { reader, websiteId } = this;
    const stored = await readParts(reader, websiteId, batch, [...columns]);
    for (const one of batch) {
      const name = partName(one);
      const missing = this.missingOf(this.cache.get(name));
      const key = { websiteId, segment: one.segment, part: one.part };
      const part = this.made(
        name,
        only(expectColumns(stored.get(name), missing, key, one.days[0]!), missing),
      );
      this.read.set(name, part);
      this.cache.set(name, part);
    }
  }

  private made(name: string, columns: EncodedPart): Part {
    const known = this.cache.get(name);
    if (!known) return new Part(columns, this.cache.texts(name));
    known.add(columns);
    return known;
  }

  private missingOf(part: Part | undefined): number[] {
    return [STRUCTURE, ...this.columns].filter((column) => !part?.has(column));
  }
}

/** The row of a small part has all columns, so others are left out. */
function only(stored: EncodedPart, columns: readonly number[]): EncodedPart {
  return new Map([...stored].filter(([column]) => columns.includes(column)));
}

/** The parts of some days. */
export function partsOf(days: readonly HitsOfDay[]): NeededPart[] {
  const parts = new Map<string, NeededPart>();
  for (const { day, columns } of days) {
    if (columns?.home !== HOMES.columns) continue;
    const { segment, firstPart, lastPart } = columns;
    const hits = Math.ceil(columns.hits / (lastPart - firstPart + 1));
    for (let part = firstPart; part <= lastPart; part++) {
      const known = parts.get(partName({ segment, part })) ?? { segment, part, days: [], hits: 0 };
      known.days.push(day);
      known.hits += hits;
      parts.set(partName(known), known);
    }
  }
  return [...parts.values()];
}
