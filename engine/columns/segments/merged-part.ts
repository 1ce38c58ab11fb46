import type { Queryable } from '../../database/rows';
import { partName, readParts, expectColumns } from './hit-segments';
import { Part } from './part';
import { TIMES } from '../../hits/hit-columns';
import { ALL_KINDS, columnOf, type EncodedPart, encodeColumn, levelFor, STRUCTURE } from './part-format';
import { addTexts, PartTexts } from './part-texts';
import type { PartKey } from './part-rows';
import { WebsiteTexts } from '../../hits/codes/text-codes';

/** All columns of smaller parts are read at once; larger parts are read column by column. */
const HITS_AT_ONCE = 64 * 1024;

/** A part whose days move to another part. */
export interface SourcePart {
  segment: number;
  part: number;
  /** Its current days, in order. */
  days: number[];
  /** The approximate number of hits. */
  hits: number;
}

/** Called between two pieces of work, for example to let other work run. Returns false to end the work. */
export type Between = () => Promise<boolean>;

/** Reads parts whose days become one part. */
export class PartMerge {
  private readonly hits = new Map<number, number>();

  constructor(
    private readonly reader: Queryable,
    private readonly websiteId: number,
    private readonly between: Between,
  ) {}

  /** The number of hits of a day in the merged parts. */
  hitsOf(day: number): number {
    return this.hits.get(day) ?? 0;
  }

  /** Divides consecutive parts into as few groups as the memory for texts allows. Undefined if the work ended. */
  async group(sources: SourcePart[], maxTextBytes: number): Promise<SourcePart[][] | undefined> {
    const groups: SourcePart[][] = [];
    let texts = new WebsiteTexts(Infinity);
    for (const source of sources) {
      if (!(await this.addTexts(source, texts))) return undefined;
      if (groups.length > 0 && texts.bytes <= maxTextBytes) {
        groups.at(-1)!.push(source);
        continue;
      }
      groups.push([source]);
      if (groups.length === 1) continue;
      texts = new WebsiteTexts(Infinity);
      if (!(await this.addTexts(source, texts))) return undefined;
    }
    return groups;
  }

  /** The days of some parts as one part, with each text once. Undefined if the work ended. */
  async merge(sources: SourcePart[]): Promise<EncodedPart | undefined> {
    const texts = new WebsiteTexts(Infinity);
    const merged: EncodedPart = new Map();
    let parts: Part[] = [];
    let level = levelFor(0);
    for await (const { kind, encoded } of this.columns(sources, ALL_KINDS)) {
      if (kind === STRUCTURE) {
        parts = encoded.map((bytes) => new Part(new Map([[kind, bytes]]), new PartTexts(texts)));
        for (const [index, source] of sources.entries()) this.note(source, parts[index]!);
        const hitsOf = (part: Part) => part.days.reduce((sum, day) => sum + part.hitsOf(day), 0);
        level = levelFor(parts.reduce((sum, part) => sum + hitsOf(part), 0));
      }
      for (const [index, part] of parts.entries()) {
        if (kind !== STRUCTURE) part.add(new Map([[kind, encoded[index]!]]));
        if (!(await this.between())) return undefined;
      }
      const days = sources.flatMap((source, index) =>
        source.days.filter((day) => parts[index]!.hitsOf(day) > 0).map((day) => parts[index]!.block([day])),
      );
      days.sort((one, other) => one.days[0]!.day - other.days[0]!.day);
      merged.set(kind, await encodeColumn(kind, days, texts, level));
      if (kind !== STRUCTURE) for (const part of parts) part.remove(kind);
    }
    return merged;
  }

  private note({ days }: SourcePart, part: Part): void {
    for (const day of days) this.hits.set(day, this.hitsOf(day) + part.hitsOf(day));
  }

  private async addTexts(source: SourcePart, texts: WebsiteTexts): Promise<boolean> {
    const kinds = ALL_KINDS.filter((kind) => kind !== STRUCTURE && kind !== TIMES);
    for await (const { kind, encoded } of this.columns([source], kinds)) {
      addTexts(encoded[0]!, texts.of[columnOf(kind)]);
      if (!(await this.between())) return false;
    }
    return true;
  }

  /** The columns of some parts, part by part. */
  private async *columns(
    sources: SourcePart[],
    kinds: readonly number[],
  ): AsyncGenerator<{ kind: number; encoded: Buffer[] }> {
    const hits = sources.reduce((sum, source) => sum + source.hits, 0);
    const { reader, websiteId } = this;
    for (const some of hits <= HITS_AT_ONCE ? [kinds] : kinds.map((kind) => [kind])) {
      const stored = await readParts(reader, websiteId, sources, some);
      const parts = sources.map(({ segment, part, days }) =>
        expectColumns(stored.get(partName({ segment, part })), some, { websiteId, segment, part }, days[0]!),
      );
      for (const kind of some) yield { kind, encoded: parts.map((part) => part.get(kind)!) };
    }
  }
}

/** All days of a part, including days that are no longer current. */
export async function daysOfPart(reader: Queryable, key: PartKey, day: number): Promise<number[]> {
  const stored = await readParts(reader, key.websiteId, [key], [STRUCTURE]);
  const columns = expectColumns(stored.get(partName(key)), [STRUCTURE], key, day);
  return new Part(new Map([[STRUCTURE, columns.get(STRUCTURE)!]]), new PartTexts(new WebsiteTexts(0))).days;
}
