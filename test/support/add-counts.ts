import type { Database } from '../../src/database/database';
import { insertAll, type Transaction } from '../../src/database/rows';
import {
  addClosedDays,
  readClosedDays,
  raiseRollups,
  raiseCountsVersion,
} from '../../src/storage/closed-days';
import { DIMENSIONS, statNameWithCode, type StatName } from '../../src/storage/stat-names';
import type { NameCounts } from '../../src/storage/rollups/limits/other-values';
import { addSection, SPANS } from '../../src/storage/rollups/rollup-format';
import { nameSpan, rollupInsertion, readRollup, readSpans } from '../../src/storage/rollups/rollup-rows';
import { prepareRollup } from '../../src/storage/rollups/rollup-writer';
import { DistinctTexts } from '../../src/storage/rollups/texts/distinct-texts';
import { writeTexts } from '../../src/storage/rollups/texts/text-rows';
import { readTexts } from '../../src/storage/rollups/texts/value-texts';
import { Sums } from '../../src/storage/sums';
import { day as dayOf } from '../../src/validation/parsers';

export interface Count {
  name: StatName;
  day: number;
  value: string;
  hits: number;
}

let lastNumber = 1_000_000;

/** Adds counts to the rollups of their days, in the caller's transaction. Days with counts have no hits. */
export async function addCounts(
  { dialect }: Database,
  manager: Transaction,
  websiteId: number,
  counts: Count[],
): Promise<void> {
  await addClosedDays(dialect, manager, websiteId);
  const { epoch: generation } = await readClosedDays(manager, websiteId);
  const dropped = counts.filter(({ name }) => name === 'dropped');
  for (const { day, value, hits } of dropped)
    await manager.query('INSERT INTO dropped_events (website_id, day, reason, count) VALUES (?, ?, ?, ?)', [
      websiteId,
      day,
      value,
      hits,
    ]);
  const counted = counts.filter(({ name }) => name !== 'dropped');
  for (const day of new Set(counted.map((count) => count.day))) {
    const names = await rolledUp(manager, websiteId, generation, day);
    for (const { name, value, hits } of counted.filter((count) => count.day === day))
      addTo(names, name, value, hits);
    const key = { websiteId, span: SPANS.day, day, number: ++lastNumber, generation };
    const all = Array.from(names, ([name, { texts, sums }]): NameCounts => ({
      name,
      texts,
      counts: sums.counts,
    }));
    const prepared = await prepareRollup(manager, key, all);
    if (prepared.isFull) throw new Error(`${prepared.names.join()} have too many values`);
    await writeTexts(manager, prepared.texts);
    await insertAll(manager, [rollupInsertion(prepared.rows)]);
    await nameSpan(manager, { ...key, hits: 0, limited: prepared.limited });
  }
  await manager.query(`DELETE FROM rollup_spans WHERE website_id = ? AND span = ${SPANS.month}`, [websiteId]);
  await raiseRollups(manager, websiteId);
  await raiseCountsVersion(manager, websiteId);
  await manager.query('UPDATE counting SET folds = folds + 1 WHERE website_id = ?', [websiteId]);
}

type Names = Map<StatName, { texts: DistinctTexts | undefined; sums: Sums }>;

function addTo(names: Names, name: StatName, value: string, hits: number): void {
  const own = names.get(name) ?? {
    texts: DIMENSIONS[name].days ? undefined : new DistinctTexts(),
    sums: new Sums(),
  };
  names.set(name, own);
  own.sums.add(own.texts ? own.texts.codeOf(value) : dayOf(value), hits);
}

async function rolledUp(
  manager: Transaction,
  websiteId: number,
  generation: number,
  day: number,
): Promise<Names> {
  const names: Names = new Map();
  const [span] = await readSpans(manager, websiteId, SPANS.day, day, day);
  if (!span) return names;
  for await (const { name: code, sections } of readRollup(manager, { websiteId, span: SPANS.day, ...span })) {
    const name = statNameWithCode(code);
    const texts = DIMENSIONS[name].days ? undefined : (names.get(name)?.texts ?? new DistinctTexts());
    if (texts?.size === 0)
      for await (const { bytes, ends } of readTexts(manager, websiteId, generation, name, 0))
        texts.addAll(bytes, ends);
    const sums = names.get(name)?.sums ?? new Sums();
    for (const section of sections) addSection(sums, section);
    names.set(name, { texts, sums });
  }
  return names;
}
