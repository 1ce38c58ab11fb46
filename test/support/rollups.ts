import { Settings } from '../../src/config/settings';
import { connect } from '../../src/database/connect';
import { EntityDatabase } from '../../src/database/entity-database';
import { migrate } from '../../src/database/migrate';
import { insertAll, type Transaction } from '../../engine/database/rows';
import { monthOf } from '../../engine/hits/calendar';
import { addClosedDays, readClosedDays } from '../../engine/columns/closed-days';
import type { StatName } from '../../engine/hits/stat-names';
import type { NameCounts } from '../../engine/columns/rollups/limits/other-values';
import {
  countTogether,
  type CountsOfDay,
  type PreparedMonth,
  prepareMonth,
} from '../../engine/columns/rollups/month-sums';
import { addSection, SPANS } from '../../engine/columns/rollups/rollup-format';
import {
  nameSpan,
  rollupInsertion,
  type RollupRanges,
  readRollups,
} from '../../engine/columns/rollups/rollup-rows';
import {
  type FullTables,
  type PreparedRollup,
  prepareRollup,
} from '../../engine/columns/rollups/rollup-writer';
import { DistinctTexts } from '../../engine/columns/rollups/texts/distinct-texts';
import { writeTexts } from '../../engine/columns/rollups/texts/text-rows';
import { readTexts } from '../../engine/columns/rollups/texts/value-texts';
import { Sums } from '../../engine/hits/sums';
import { VALUE_LIMITS, type ValueLimits } from '../../engine/hits/rules/value-limits';
import { Website } from '../../src/websites/website.entity';

/** The count of each value, by name. */
export type Counts = Partial<Record<StatName, Record<string, number>>>;

export async function openDatabase(url: string): Promise<EntityDatabase> {
  const settings = new Settings({ DATABASE_URL: url });
  const database = await EntityDatabase.over(await connect(settings.database, [Website]));
  await migrate(database);
  return database;
}

/** The rollups of one website, with the code that writes and reads them. */
export class Rollups {
  private number = 0;

  constructor(
    readonly database: EntityDatabase,
    readonly websiteId: number,
    readonly limits: ValueLimits = VALUE_LIMITS,
  ) {}

  /** Adds the website's row with the generation of its texts. */
  async begin(): Promise<void> {
    const { database, websiteId } = this;
    await database.write((manager) => addClosedDays(database.dialect, manager, websiteId));
  }

  readonly nextNumber = () => ++this.number;

  async generation(): Promise<number> {
    return (await readClosedDays(this.database, this.websiteId)).epoch;
  }

  async prepare(day: number, counts: Counts): Promise<PreparedRollup | FullTables> {
    const rollup = { ...this.key(SPANS.day, day), generation: await this.generation() };
    return prepareRollup(this.database, rollup, countsOf(counts), this.limits);
  }

  async prepareMonth(month: number, small: Counts[]): Promise<PreparedMonth | FullTables> {
    const rollup = { ...this.key(SPANS.month, month), generation: await this.generation() };
    const ofNames: CountsOfDay<Counts> = (counts, names) =>
      Promise.resolve(names.flatMap((name) => countsOf({ [name]: counts[name] ?? {} })));
    const counts = countTogether(small, ofNames, this.limits);
    return prepareMonth(this.database, rollup, { hits: small.length, counts }, this.limits);
  }

  /** Writes a day. False if there was no room for its texts. */
  async write(day: number, counts: Counts, hits = 1): Promise<boolean> {
    const prepared = await this.prepare(day, counts);
    if (!prepared.isFull) await this.name(SPANS.day, day, prepared, hits);
    return !prepared.isFull;
  }

  async writeMonth(month: number, small: Counts[] = []): Promise<boolean> {
    const prepared = await this.prepareMonth(month, small);
    if (!prepared.isFull) await this.name(SPANS.month, month, prepared, prepared.hits);
    return !prepared.isFull;
  }

  /** Writes a prepared rollup. */
  async name(span: number, day: number, { rows, limited, texts }: PreparedRollup, hits = 1): Promise<void> {
    const { number } = rows[0]!;
    await this.database.write(async (manager) => {
      await insertAll(manager, [rollupInsertion(rows)]);
      await writeTexts(manager, texts);
      await nameSpan(manager, { websiteId: this.websiteId, span, day, number, hits, limited });
    });
  }

  /** The counts of a name in the rollups of some ranges. */
  async read(name: StatName, ranges: RollupRanges): Promise<Record<string, number>> {
    const generation = await this.generation();
    return this.database.read(async (manager) => {
      const sums = new Sums();
      for await (const sections of readRollups(manager, this.websiteId, name, ranges))
        for (const section of sections) addSection(sums, section);
      const texts = await this.textsOf(manager, name, generation);
      const isOfDays = name === 'pageview' || name === 'visitor';
      const codes = Array.from(sums.codes());
      return Object.fromEntries(
        codes.map((code) => [isOfDays ? String(code) : texts.textOf(code), sums.counts[code]!]),
      );
    });
  }

  async textsOf(manager: Transaction, name: StatName, generation: number): Promise<DistinctTexts> {
    const texts = new DistinctTexts();
    for await (const { firstCode, bytes, ends } of readTexts(manager, this.websiteId, generation, name, 0)) {
      expect(firstCode).toBe(texts.size);
      texts.addAll(bytes, ends);
    }
    return texts;
  }

  private key(span: number, day: number) {
    return { websiteId: this.websiteId, span, day, number: this.nextNumber() };
  }
}

/** Days are numbers, other values are texts. */
export function countsOf(counts: Counts): NameCounts[] {
  return Object.entries(counts).map(([key, own]) => {
    const name = key as StatName;
    const isOfDays = name === 'pageview' || name === 'visitor';
    const texts = isOfDays ? undefined : new DistinctTexts();
    const sums = new Sums();
    for (const [value, count] of Object.entries(own)) sums.add(texts?.codeOf(value) ?? Number(value), count);
    return { name, texts, counts: sums.counts };
  });
}

export function daysOfMonth(month: number): number[] {
  return Array.from({ length: monthOf(month, 1) - month }, (_, index) => month + index);
}
