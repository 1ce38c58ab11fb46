import { yieldIfNeeded } from '../../common/yield-if-needed';
import type { ColumnDay } from '../hit-chunks';
import { partsOfDay, type Reading } from '../hits-in-columns';
import type { Between } from '../merged-part';
import { Sums } from '../sums';
import { OTHER, VALUE_LIMITS } from '../value-limits';
import { COUNTED_NAMES, type CountedName, TEXT_NAMES, type TextName } from './counted-names';
import type { NameCounts } from './limited-counts';
import { addCountsOf } from './stretch-counts';
import { TextList } from './text-list';

/** Of a day with more values of a name the first ones are compared, so that lists are bounded. */
const MAX_TEXTS = VALUE_LIMITS.all;

/** How often each value of each name was counted on a day in columns; undefined where the work has ended. */
export async function countsOfColumns(
  read: Reading,
  websiteId: number,
  day: number,
  columns: ColumnDay,
  between: Between,
): Promise<NameCounts[] | undefined> {
  const all = COUNTED_NAMES.map((name) => ({ name, texts: textsFor(name), sums: new Sums() }));
  for await (const { stretch, texts } of partsOfDay(read, websiteId, day, columns))
    for (const { name, texts: own, sums } of all) {
      if (own) {
        const counted = new Sums();
        addCountsOf(name, stretch, texts, counted);
        await addTranslated(sums, own, counted, texts.of[name as TextName].texts);
      } else addCountsOf(name, stretch, texts, sums);
      if (!(await between())) return undefined;
    }
  return all.map(({ name, texts, sums: { counts } }) => ({ name, texts, counts }));
}

function textsFor(name: CountedName): TextList | undefined {
  return (TEXT_NAMES as readonly CountedName[]).includes(name) ? new TextList() : undefined;
}

async function addTranslated(
  sums: Sums,
  own: TextList,
  { counts }: Sums,
  texts: readonly (string | null)[],
): Promise<void> {
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] === 0) continue;
    const text = texts[code]!;
    const isBeyond = own.size >= MAX_TEXTS && own.find(text) < 0;
    sums.add(own.codeOf(isBeyond ? OTHER : text), counts[code]!);
    await yieldIfNeeded();
  }
}
