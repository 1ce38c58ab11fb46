import { OTHER } from '../../hits/rules/value-limits';
import type { CountedName } from './counted-names';
import { emptyCountsOf } from './day-counts';
import type { NameCounts } from './limits/other-values';
import { countTogether } from './month-sums';

const LIMITS = { all: 1000, textBytes: Infinity, newPerDay: 60 };
const DAYS = [0, 1, 2];

/** Most pages differ from day to day; a few are the same. */
function countsOf(day: number, name: CountedName): NameCounts {
  const { texts, sums } = emptyCountsOf(name);
  if (!texts) sums.add(20_000 + day, 7);
  else
    for (let value = 0; value < 50; value++) sums.add(texts.codeOf(`${name} ${day * 30 + value}`), value + 1);
  return { name, texts, counts: sums.counts };
}

async function together(maxBytes?: number, limits = LIMITS) {
  let readings = 0;
  const found: [CountedName, boolean, Record<string, number>][] = [];
  const ofDay = (day: number, names: readonly CountedName[]) => {
    readings++;
    return Promise.resolve(names.slice(0, 5).map((name) => countsOf(day, name)));
  };
  for await (const { name, texts, sums, isLimited } of countTogether(DAYS, ofDay, limits, maxBytes)) {
    const valueOf = (code: number) => texts?.textOf(code) ?? `${code}`;
    const counts = Array.from(sums.codes(), (code) => [valueOf(code), sums.counts[code]!] as const);
    found.push([name, isLimited, Object.fromEntries(counts)]);
  }
  return { found, readings };
}

it('adds days up, name by name, in as many readings as their texts need', async () => {
  const { found, readings } = await together();
  const page = found.find(([name]) => name === 'page')!;
  expect([page[1], page[2]['page 35'], Object.keys(page[2]).length]).toEqual([false, 36 + 6, 110]);
  expect(readings).toBe(3 * DAYS.length);
  const often = await together(1);
  expect(often.found).toEqual(found);
  expect(often.readings).toBeGreaterThan(10 * DAYS.length);
});

it('limits each day by itself', async () => {
  const { found } = await together(undefined, { ...LIMITS, newPerDay: 10 });
  const [, isLimited, page] = found.find(([name]) => name === 'page')!;
  const beyond = DAYS.length * ((40 * 41) / 2);
  expect([isLimited, page[OTHER]]).toEqual([true, beyond]);
});
