import type { Database } from '../../database/database';
import { readClosedDays } from '../closed-days';
import { addSection, type RollupKey } from '../rollups/rollup-format';
import { readRollup } from '../rollups/rollup-rows';
import { DistinctTexts } from '../rollups/texts/distinct-texts';
import { readTexts } from '../rollups/texts/value-texts';
import { DIMENSIONS, statNameWithCode, type StatName } from '../../hits/stat-names';
import { Sums } from '../../hits/sums';
import type { CountsByName } from './differences';

/** Reads rollups with the texts of their codes. */
export class RolledUpCounts {
  private texts = { websiteId: 0, generation: 0, of: new Map<StatName, DistinctTexts>() };

  constructor(private readonly database: Database) {}

  async read(key: RollupKey): Promise<CountsByName> {
    const { epoch } = await readClosedDays(this.database, key.websiteId);
    const sums = new Map<StatName, Sums>();
    for await (const { name: code, sections } of readRollup(this.database, key)) {
      const own = sums.get(statNameWithCode(code)) ?? new Sums();
      sums.set(statNameWithCode(code), own);
      for (const section of sections) addSection(own, section);
    }
    const counts: CountsByName = new Map();
    for (const [name, { counts: own }] of sums)
      counts.set(name, {
        name,
        texts: await this.textsOf(key.websiteId, epoch, name, own.length),
        counts: own,
      });
    return counts;
  }

  /** The texts of one website are in memory at a time. A table is read again when a new code occurs. */
  private async textsOf(
    websiteId: number,
    generation: number,
    name: StatName,
    codes: number,
  ): Promise<DistinctTexts | undefined> {
    if (DIMENSIONS[name].days) return undefined;
    if (this.texts.websiteId !== websiteId || this.texts.generation !== generation)
      this.texts = { websiteId, generation, of: new Map() };
    const known = this.texts.of.get(name);
    if (known && known.size >= codes) return known;
    const texts = new DistinctTexts();
    for await (const { bytes, ends } of readTexts(this.database, websiteId, generation, name, 0))
      texts.addAll(bytes, ends);
    this.texts.of.set(name, texts);
    return texts;
  }
}
