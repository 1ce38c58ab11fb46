import { OTHER } from '../../../storage/rollups/limits/value-limits';
import type { HitBlock } from '../../../storage/segments/hit-block';
import { GroupKeys } from '../count/group-keys';
import { Scan } from '../count/scan';
import { type QueryName, placeOf } from '../parse/names';
import type { Zone } from '../plan/buckets';
import type { Values } from '../plan/derived';
import type { Answer, HitQuery, Range } from '../plan/hit-query';
import { neededValues } from '../plan/needed-values';
import type { WebsiteValues } from '../read/website-values';
import { BlockView } from '../select/block-view';
import { ALL_MATCH, type Matches } from '../select/matches';
import type { Selection } from '../select/selection';
import type { Selections } from '../select/selections';
import { AnswerWriter } from './answer-writer';
import type { Check } from './deadline-check';
import type { PeakMemory } from './peak-memory';
import type { RowMemory } from './row-memory';

interface QueryScan {
  scan: Scan;
  /** The compared range. */
  previous: Scan | undefined;
  selection: Selection | undefined;
}

/** The queries of a request while they are counted. */
export class QueryScans {
  private readonly scans: QueryScan[];
  private readonly shownValues: Values[];

  constructor(
    hitQueries: HitQuery[],
    selections: Selections,
    zone: Zone,
    private readonly values: WebsiteValues,
    private readonly memory: { rows: RowMemory; blocks: PeakMemory },
    private readonly check: Check,
  ) {
    // Values that are only compared are whole, or the query is refused.
    this.shownValues = neededValues(hitQueries.map((hitQuery) => ({ ...hitQuery, filter: undefined })));
    this.scans = hitQueries.map((hitQuery) => {
      const keys = new GroupKeys(hitQuery.dimensions.length, () => otherCodes(hitQuery.dimensions, values));
      const scanOf = (range: Range) => new Scan(hitQuery, range, keys, zone, check, memory.rows);
      return {
        scan: scanOf(hitQuery.range),
        previous: hitQuery.previous && scanOf(hitQuery.previous),
        selection: hitQuery.filter && selections.of(hitQuery.filter),
      };
    });
  }

  /** Whether values of a shown name were merged. */
  get isMerged(): boolean {
    return this.shownValues.some((own) => this.values.isMerged(own));
  }

  covers(day: number): boolean {
    return this.scans.some(({ scan, previous }) => scan.covers(day) || previous?.covers(day));
  }

  async addAll(blocks: AsyncIterable<HitBlock>): Promise<void> {
    for await (const block of blocks) {
      this.check();
      this.add(block);
    }
  }

  answers(): Answer[] {
    return this.scans.map(({ scan, previous }) =>
      new AnswerWriter(scan, previous, this.values, this.check).answer(),
    );
  }

  /** All days of a block must be in the same ranges. */
  private add(block: HitBlock): void {
    const view = new BlockView(block, this.values, this.memory.blocks);
    const { day } = block.days[0]!;
    const matches = new Map<Selection, Matches>();
    for (const { scan, previous, selection } of this.scans)
      for (const one of [scan, previous]) {
        if (!one?.covers(day)) continue;
        if (selection && !matches.has(selection)) matches.set(selection, selection.of(view));
        one.add(view, selection ? matches.get(selection)! : ALL_MATCH);
      }
  }
}

function otherCodes(dimensions: QueryName[], values: WebsiteValues): (number | undefined)[] {
  return dimensions.map((name) => {
    const place = placeOf(name);
    return place.level === 'moment' ? undefined : values.of(place.values).codeOf(OTHER);
  });
}
