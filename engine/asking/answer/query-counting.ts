import type { Check } from '../../ground/deadline-check';
import type { DayOfHits } from '../../hits/hit-block';
import type { Asker } from '../../questions/asker';
import type { Zone } from '../../questions/plan/buckets';
import type { HitQuery } from '../../questions/plan/hit-query';
import { filtersIn } from '../../questions/plan/needed-values';
import { RowsDisagree } from '../count/goals/keys-by-goal';
import { FilterMemory } from '../memory/filter-memory';
import { PeakMemory } from '../memory/peak-memory';
import { type RowLimits, RowMemory } from '../memory/bytes-of-rows';
import { ComparedValues } from '../select/compared-values';
import { Selections } from '../select/selections';
import type { WebsiteValues } from '../select/website-values';
import { type AnyHits, QueryScans } from './query-scans';
import type { SealedCounts } from './sealed-counts';

/** Begins to read the hits of queries. What is read of a day, and late hits, take memory. */
type OpenHits<H extends AnyHits> = (hitQueries: HitQuery[], memory: PeakMemory) => H;

/** What counting works with. */
interface CountingTools {
  readonly zone: Zone;
  /** The texts of the hits. */
  readonly values: WebsiteValues;
  /** The counts of earlier requests. */
  readonly sealed: SealedCounts;
  readonly take?: (bytes: number) => void;
  readonly rowLimits?: RowLimits | undefined;
  readonly check: Check;
}

interface CountedQueries<H> {
  readonly scans: QueryScans;
  readonly hits: H;
  readonly days: readonly DayOfHits[];
}

/** Counts the queries of a request. */
export class QueryCounting<H extends AnyHits> {
  private readonly blocks: PeakMemory;
  private readonly rows: PeakMemory;

  constructor(
    private readonly open: OpenHits<H>,
    private readonly tools: CountingTools,
    private readonly asker?: Asker,
  ) {
    this.blocks = new PeakMemory(tools.take);
    this.rows = new PeakMemory(tools.take);
  }

  /** If rows would be merged in two ways, all are counted once more. */
  async count(hitQueries: HitQuery[]): Promise<CountedQueries<H>> {
    try {
      return await this.countOnce(hitQueries, false);
    } catch (error) {
      if (!(error instanceof RowsDisagree)) throw error;
      return this.countOnce(hitQueries, true);
    }
  }

  private async countOnce(hitQueries: HitQuery[], agree: boolean): Promise<CountedQueries<H>> {
    const { blocks, rows } = this;
    const { zone, values, sealed, take, rowLimits, check } = this.tools;
    for (const memory of [blocks, rows]) memory.begin();
    const compared = new ComparedValues(hitQueries.flatMap(filtersIn), values);
    const hits = this.open(hitQueries, blocks);
    const days = await hits.days();
    const selections = new Selections(days, zone, new FilterMemory(undefined, take), check);
    const around = { selections, zone, values, rows: new RowMemory(rowLimits, rows), check, agree };
    const scans = new QueryScans(hitQueries, around, sealed, blocks);
    await scans.addAll(days, hits);
    if (scans.mustRepeat) return this.countOnce(hitQueries, agree);
    compared.expectWhole('filters', this.asker);
    return { scans, hits, days };
  }
}
