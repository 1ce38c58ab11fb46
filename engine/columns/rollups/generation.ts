import { inSteps } from '../../ground/time/work-in-steps';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import {
  changedBy,
  inPieces,
  insertAll,
  type Insertion,
  type Queryable,
  type Transaction,
} from '../../database/rows';
import { readClosedDays } from '../closed-days';
import { DIMENSIONS, statNameWithCode, type StatName, STAT_NAMES } from '../../hits/stat-names';
import { Sums } from '../../hits/sums';
import { OTHER, VALUE_LIMITS } from '../../hits/rules/value-limits';
import { largestWithin } from './limits/largest-within';
import {
  addSection,
  DamagedRollup,
  eachPair,
  RollupBuilder,
  type RollupRow,
  type Section,
  SPANS,
} from './rollup-format';
import {
  limitedBit,
  type NamedSpan,
  removeAllSpans,
  type RollupRanges,
  rollupInsertion,
  readRollup,
  readRollups,
  spanInsertion,
  readSpans,
} from './rollup-rows';
import { TextRowBuilder, textInsertion } from './texts/text-rows';
import { readReadableTexts, readTexts } from './texts/value-texts';
import { DamagedTexts, eachText, type TextRow, type Texts } from './texts/value-texts-format';

const BYTES_AT_ONCE = 2 * 1024 * 1024;
const EVER = { from: 0, to: Number.MAX_SAFE_INTEGER };
const ALL: RollupRanges = { days: [EVER], months: EVER };
const NONE = -1;
const OTHER_BYTES = Buffer.from(OTHER);

/** The website got another generation or rollup while this generation was made. */
export class GenerationChanged extends Error {}

/** The code of each value in the next generation. */
interface NewCodes {
  /** By current code; `NONE` if the value is counted as `(other)` from now on. */
  codes: Int32Array;
  /** The code of `(other)`. */
  other: number;
}

/**
 * Rewrites all rollups of a website with the texts that are used. If a name is full, the half of its values with the
 * largest total counts keep their texts; among equal counts, the latest values. The other values are counted as
 * `(other)`. The rows get numbers and a generation that no reader knows; one short transaction at the end makes them
 * current. Nothing else may write rollups of the website meanwhile, except that spans may be removed.
 */
export class NextGeneration {
  private readonly written: { before: number; span: NamedSpan }[] = [];
  /** The damaged rollups, which are left out of the next generation. */
  private readonly unreadable = new Set<number>();
  private current = 0;
  private next = 0;

  /** `nextNumber` returns a number that was never used. It is called after the previous pieces are written. */
  constructor(
    private readonly reader: Queryable,
    private readonly websiteId: number,
    private readonly full: readonly StatName[],
    private readonly nextNumber: () => number,
    private readonly limits = VALUE_LIMITS,
    private readonly bytesAtOnce = BYTES_AT_ONCE,
    /** Tells whether to leave out damaged rollups, and to replace damaged texts by `(other)`. */
    private readonly isSalvage = false,
    private readonly pause = yieldIfNeeded,
  ) {}

  /** The rows to write. Each piece needs a transaction of its own. */
  async *pieces(): AsyncGenerator<Insertion[]> {
    const { reader, websiteId } = this;
    this.current = (await readClosedDays(reader, websiteId)).epoch;
    this.next = (await readLastGeneration(reader, websiteId, this.current)) + 1;
    const codes = new Map<StatName, NewCodes>();
    for (const name of STAT_NAMES) if (!DIMENSIONS[name].days) codes.set(name, yield* this.texts(name));
    for (const span of await allSpans(reader, websiteId))
      try {
        yield* this.rollup(span, codes);
      } catch (error) {
        if (!this.isSalvage || !(error instanceof DamagedRollup)) throw error;
        this.unreadable.add(span.number);
      }
  }

  /** Makes the written generation current. Spans that were removed meanwhile stay removed. */
  async name(manager: Transaction): Promise<void> {
    const { websiteId } = this;
    const written = new Map(this.written.map(({ before, span }) => [before, span]));
    const named = (await allSpans(manager, websiteId)).flatMap(({ number }) => {
      const span = written.get(number);
      if (!span && !this.unreadable.has(number)) throw new GenerationChanged();
      return span ?? [];
    });
    const changed = await changedBy(
      manager,
      'UPDATE closed_days SET epoch = ? WHERE website_id = ? AND epoch = ?',
      [this.next, websiteId, this.current],
    );
    if (changed !== 1) throw new GenerationChanged();
    await removeAllSpans(manager, websiteId);
    await insertAll(manager, [spanInsertion(named)]);
  }

  /** Writes the texts of a name that are kept. */
  private async *texts(name: StatName): AsyncGenerator<Insertion[], NewCodes> {
    const { websiteId, current, next } = this;
    const table = { websiteId, generation: next, name: DIMENSIONS[name].code };
    const { counts } = await this.countUses(name);
    const marked = this.full.includes(name) ? await this.findLargestHalf(name, counts) : undefined;
    const rows = new TextRowBuilder(table);
    const codes = new Int32Array(counts.length).fill(NONE);
    let other = NONE;
    for await (const texts of this.stored(name)) {
      eachText(texts, (code, begin, end) => {
        const isOther = OTHER_BYTES.equals(texts.bytes.subarray(begin, end));
        if (!(counts[code]! > 0) || !(isOther || !marked || marked[code] === 1)) return;
        codes[code] = rows.add(texts.bytes, begin, end);
        if (isOther) other = codes[code]!;
      });
      yield* this.textPieces(rows.take());
      await this.pause();
    }
    const isMissing = (count: number, code: number) =>
      count > 0 && codes[code] === NONE && (!marked || marked[code] === 1);
    const missing = counts.findIndex(isMissing);
    if (missing >= 0 && !this.isSalvage) throw new DamagedTexts({ ...table, generation: current }, missing);
    if ((marked || missing >= 0) && other === NONE) other = rows.add(OTHER_BYTES, 0, OTHER_BYTES.length);
    yield* this.textPieces(rows.finish());
    return { codes, other };
  }

  /** Marks the codes that are kept, if the name is full: those with the largest counts, within half of the limits. */
  private async findLargestHalf(name: StatName, counts: Float64Array): Promise<Uint8Array | undefined> {
    const lengths = await this.lengths(name, counts.length);
    const room = { texts: Math.floor(this.limits.all / 2) - 1, bytes: this.limits.textBytes / 2 };
    return inSteps(largestWithin(counts, lengths, room), this.pause);
  }

  /** The length of each text in bytes. */
  private async lengths(name: StatName, codes: number): Promise<Uint32Array> {
    const lengths = new Uint32Array(codes);
    for await (const texts of this.stored(name)) {
      eachText(texts, (code, begin, end) => (lengths[code] = end - begin));
      await this.pause();
    }
    return lengths;
  }

  private stored(name: StatName): AsyncGenerator<Texts> {
    const stored = this.isSalvage ? readReadableTexts : readTexts;
    return stored(this.reader, this.websiteId, this.current, name);
  }

  /** The total count of each value in all rollups. */
  private async countUses(name: StatName): Promise<Sums> {
    const sums = new Sums();
    const add = async (sections: AsyncGenerator<Section[]>) => {
      for await (const some of sections)
        for (const section of some) {
          addSection(sums, section);
          await this.pause();
        }
    };
    if (!this.isSalvage) await add(readRollups(this.reader, this.websiteId, name, ALL));
    else
      for (const span of await allSpans(this.reader, this.websiteId)) {
        const days = { from: span.day, to: span.day };
        const own =
          span.span === SPANS.day ? { days: [days], months: undefined } : { days: [], months: days };
        await add(readRollups(this.reader, this.websiteId, name, own)).catch((error: unknown) => {
          if (!(error instanceof DamagedRollup)) throw error;
        });
      }
    return sums;
  }

  private async *rollup(
    before: NamedSpan,
    codes: ReadonlyMap<StatName, NewCodes>,
  ): AsyncGenerator<Insertion[]> {
    const span = { ...before, number: this.nextNumber() };
    const builder = new RollupBuilder(span);
    let [name, sums] = [0, new Sums()];
    for await (const piece of readRollup(this.reader, before)) {
      if (piece.name !== name) {
        builder.add(name, sums);
        [name, sums] = [piece.name, new Sums()];
      }
      for (const section of piece.sections) {
        const own = codes.get(statNameWithCode(name));
        if (!own) addSection(sums, section);
        else if (addMapped(sums, section, own)) span.limited |= limitedBit(statNameWithCode(name));
        await this.pause();
      }
    }
    builder.add(name, sums);
    for (const piece of this.inPieces(builder.rows())) yield [rollupInsertion(piece)];
    this.written.push({ before: before.number, span });
  }

  private *textPieces(rows: TextRow[]): Generator<Insertion[]> {
    for (const piece of this.inPieces(rows)) yield [textInsertion(piece)];
  }

  private inPieces<Row extends TextRow | RollupRow>(rows: Row[]): Generator<Row[]> {
    return inPieces(rows, Infinity, this.bytesAtOnce, ({ data }) => data.length);
  }
}

/** Returns whether a value was counted as `(other)`. */
function addMapped(sums: Sums, section: Section, { codes, other }: NewCodes): boolean {
  let isLimited = false;
  eachPair(section, (code, count) => {
    const own = codes[code] ?? NONE;
    if (own === NONE) isLimited = true;
    sums.add(own === NONE ? other : own, count);
  });
  return isLimited;
}

async function allSpans(reader: Queryable, websiteId: number): Promise<NamedSpan[]> {
  const spans: NamedSpan[] = [];
  for (const span of Object.values(SPANS))
    for (const one of await readSpans(reader, websiteId, span, EVER.from, EVER.to))
      spans.push({ ...one, websiteId, span });
  return spans;
}

/** The last generation, including leftovers of unfinished ones. */
async function readLastGeneration(reader: Queryable, websiteId: number, current: number): Promise<number> {
  const [row] = await reader.query<{ last: number | string | null }[]>(
    'SELECT MAX(generation) AS last FROM value_texts WHERE website_id = ?',
    [websiteId],
  );
  return Math.max(current, Number(row?.last ?? 0));
}
