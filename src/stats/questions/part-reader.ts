import type { EntityManager } from 'typeorm';
import { type ColumnDay, partName, storedParts, trusted } from '../../storage/hit-chunks';
import type { HitsOfDay } from '../../storage/kept-hits';
import { Part } from '../../storage/part';
import { type EncodedPart, STRUCTURE } from '../../storage/part-format';
import type { PartTexts } from '../../storage/part-texts';

/** Read with one statement; at least one part, however many it has. */
const HITS_AT_ONCE = 256 * 1024;
const PARTS_AT_ONCE = 100;

interface Wanted {
  day: number;
  chunk: number;
  part: number;
  /** About how many it has. */
  hits: number;
}

/** Where parts that were read before are kept. */
export interface KeptParts {
  get(name: string): Part | undefined;
  /** The codes of its texts, which stay longer than the part itself. */
  texts(name: string): PartTexts;
  /** Also where columns were added to it. */
  keep(name: string, part: Part): void;
  /** Forgets those of the days that are asked for that are not among these: their days have gone to other ones. */
  retain(names: ReadonlySet<string>): void;
}

/** Reads the parts of some days in their order, several small ones at once, and of each the columns that are needed. */
export class PartReader {
  private readonly wanted: Wanted[];
  /** What was read with the last statement. */
  private read = new Map<string, Part>();

  constructor(
    private readonly manager: EntityManager,
    private readonly websiteId: number,
    days: HitsOfDay[],
    private readonly columns: readonly number[],
    private readonly kept: KeptParts,
  ) {
    const wanted = new Map<string, Wanted>();
    for (const { day, columns } of days)
      for (const one of columns ? wantedOf(day, columns) : []) {
        const known = wanted.get(partName(one));
        if (known) known.hits += one.hits;
        else wanted.set(partName(one), one);
      }
    kept.retain(new Set(wanted.keys()));
    this.wanted = [...wanted.values()];
  }

  async part(key: { chunk: number; part: number }): Promise<Part> {
    const name = partName(key);
    const known = this.read.get(name) ?? this.kept.get(name);
    if (known && this.missingOf(known).length === 0) return known;
    await this.readFrom(this.wanted.findIndex((one) => partName(one) === name));
    return this.read.get(name)!;
  }

  private async readFrom(first: number): Promise<void> {
    const batch: Wanted[] = [];
    const columns = new Set<number>();
    let hits = 0;
    for (const one of this.wanted.slice(first, first + PARTS_AT_ONCE)) {
      const missing = this.missingOf(this.kept.get(partName(one)));
      if (missing.length === 0) continue;
      hits += one.hits;
      if (batch.length > 0 && hits > HITS_AT_ONCE) break;
      batch.push(one);
      for (const column of missing) columns.add(column);
    }
    this.read = new Map();
    const { manager, websiteId } = this;
    const stored = await storedParts(manager, websiteId, batch, [...columns]);
    for (const one of batch) {
      const name = partName(one);
      const missing = this.missingOf(this.kept.get(name));
      const key = { websiteId, chunk: one.chunk, part: one.part };
      const part = this.made(name, only(trusted(stored.get(name), missing, key, one.day), missing));
      this.read.set(name, part);
      this.kept.keep(name, part);
    }
  }

  private made(name: string, columns: EncodedPart): Part {
    const known = this.kept.get(name);
    if (!known) return new Part(columns, this.kept.texts(name));
    known.add(columns);
    return known;
  }

  private missingOf(part: Part | undefined): number[] {
    return [STRUCTURE, ...this.columns].filter((column) => !part?.has(column));
  }
}

/** A row of a small part has all of its columns. */
function only(stored: EncodedPart, columns: readonly number[]): EncodedPart {
  return new Map([...stored].filter(([column]) => columns.includes(column)));
}

function wantedOf(day: number, { chunk, firstPart, lastPart, hits }: ColumnDay): Wanted[] {
  const parts = lastPart - firstPart + 1;
  return Array.from({ length: parts }, (_, index) => ({
    day,
    chunk,
    part: firstPart + index,
    hits: Math.ceil(hits / parts),
  }));
}
