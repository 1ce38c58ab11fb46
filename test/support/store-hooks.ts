import type { Database } from '../../src/database/database';
import { insertAll, type Transaction } from '../../src/database/rows';
import { ROLLED_UP_HITS } from '../../src/counting/seal/sealing-times';
import { monthOf } from '../../src/storage/calendar';
import { raiseCountsVersion, raiseRollups, readClosedDays } from '../../src/storage/closed-days';
import type { CountedName } from '../../src/storage/rollups/counted-names';
import { addSection, SPANS } from '../../src/storage/rollups/rollup-format';
import {
  nameSpan,
  readRollup,
  readSpans,
  removeMonth,
  removeSpans,
  rollupInsertion,
} from '../../src/storage/rollups/rollup-rows';
import { prepareRollup } from '../../src/storage/rollups/rollup-writer';
import { DistinctTexts } from '../../src/storage/rollups/texts/distinct-texts';
import { writeTexts } from '../../src/storage/rollups/texts/text-rows';
import { readTexts } from '../../src/storage/rollups/texts/value-texts';
import { DIMENSIONS, statNameWithCode, type StatName } from '../../src/storage/stat-names';
import { readDays } from '../../src/storage/stored-days';
import { Sums } from '../../src/storage/sums';
import { day as dayOf } from '../../src/validation/parsers';

/** The first day and the last day that the service has. */
const EVER = [0, 2 ** 31 - 1] as const;

/** Changes the numbers of hits from which days and months are rolled up. Returns a function that restores them. */
export function rollUpFrom({ day, month }: Readonly<typeof ROLLED_UP_HITS>): () => void {
  const replaced = [
    jest.replaceProperty(ROLLED_UP_HITS, 'day', day),
    jest.replaceProperty(ROLLED_UP_HITS, 'month', month),
  ];
  return () => replaced.forEach((property) => property.restore());
}

/** The largest spans of a website that are rolled up, or `hits` if there are none. */
export async function formOf(database: Database, websiteId: number): Promise<'hits' | 'days' | 'months'> {
  if ((await readSpans(database, websiteId, SPANS.month, ...EVER)).length > 0) return 'months';
  return (await readSpans(database, websiteId, SPANS.day, ...EVER)).length > 0 ? 'days' : 'hits';
}

/** Whether all hits of a website before a day are in columns. */
export async function areSealed(database: Database, websiteId: number, before: number): Promise<boolean> {
  const days = await readDays(database, websiteId, { from: 0, to: before - 1 });
  return days.every(({ hits, columns }) => columns?.hits === hits);
}

/** Removes the rollup of a day, which stays in columns. */
export async function forgetRollup(database: Database, websiteId: number, day: number): Promise<void> {
  await database.write((manager) => removeSpans(manager, websiteId, [day]));
}

/** Removes the texts of a website's rollups. */
export async function loseTexts(database: Database, websiteId: number): Promise<void> {
  await database.write((manager) =>
    manager.query('DELETE FROM value_texts WHERE website_id = ?', [websiteId]),
  );
}

/** A count that the rollup of a day has beyond those of its hits. */
export interface Surplus {
  name: CountedName;
  day: number;
  value: string;
  hits: number;
}

/** No use of a lease has these numbers. */
let lastNumber = 1_000_000;

/** Adds to a count in the rollup of a day, which then differs from the day's hits. */
export async function spoilRollup(database: Database, websiteId: number, surplus: Surplus): Promise<void> {
  const { name, day, value, hits } = surplus;
  await database.write(async (manager) => {
    const { epoch: generation } = await readClosedDays(manager, websiteId);
    const [span] = await readSpans(manager, websiteId, SPANS.day, day, day);
    const counts = await readCounts(manager, websiteId, generation, span!);
    const { texts, sums } = counts.get(name)!;
    sums.add(texts ? texts.codeOf(value) : dayOf(value), hits);
    const key = { websiteId, span: SPANS.day, day, number: ++lastNumber, generation };
    const all = Array.from(counts, ([name, { texts, sums }]) => ({ name, texts, counts: sums.counts }));
    const prepared = await prepareRollup(manager, key, all);
    if (prepared.isFull) throw new Error(`${prepared.names.join()} have too many values`);
    await writeTexts(manager, prepared.texts);
    await insertAll(manager, [rollupInsertion(prepared.rows)]);
    await nameSpan(manager, { ...span!, ...key, limited: prepared.limited });
    await removeMonth(manager, websiteId, monthOf(day));
    await raiseRollups(manager, websiteId);
    await raiseCountsVersion(manager, websiteId);
    await manager.query('UPDATE counting SET folds = folds + 1 WHERE website_id = ?', [websiteId]);
  });
}

async function readCounts(
  manager: Transaction,
  websiteId: number,
  generation: number,
  span: { day: number; number: number },
) {
  const counts = new Map<StatName, { texts: DistinctTexts | undefined; sums: Sums }>();
  for await (const { name: code, sections } of readRollup(manager, { websiteId, span: SPANS.day, ...span })) {
    const name = statNameWithCode(code);
    const { texts, sums } = counts.get(name) ?? {
      texts: DIMENSIONS[name].days ? undefined : await readAllTexts(manager, websiteId, generation, name),
      sums: new Sums(),
    };
    for (const section of sections) addSection(sums, section);
    counts.set(name, { texts, sums });
  }
  return counts;
}

async function readAllTexts(manager: Transaction, websiteId: number, generation: number, name: StatName) {
  const texts = new DistinctTexts();
  for await (const { bytes, ends } of readTexts(manager, websiteId, generation, name, 0))
    texts.addAll(bytes, ends);
  return texts;
}
