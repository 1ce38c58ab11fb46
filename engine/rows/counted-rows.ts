import type { PartialRows } from '../asking/count/partial-rows';
import type { Queryable } from '../database/rows';
import { type Check, WorkSteps } from '../ground/deadline-check';
import type { DayKey } from '../port';
import { passingOne } from '../questions/filter-operators';
import { GOAL } from '../questions/parse/filter';
import { originOf } from '../questions/parse/names';
import type { Aggregation } from '../questions/plan/aggregation';
import { BUCKETS, isOfDay, type Zone } from '../questions/plan/buckets';
import type { CountedMetric } from '../questions/plan/metrics';
import type { DimensionName, HitQuery, Range } from '../questions/plan/hit-query';

const HOUR_S = 3600;
const UNITS = 10n ** 12n;

/** SQLite binds that many values, and three bytes for each character fit the smallest packet of a server. */
export const COMPARED = { values: 10_000, characters: 200 * 1024 };

type Value = string | number | null;
type Group = Record<string, Value>;

/** SQL for a condition that selects the counted rows. `hit` is an alias of `hits`. */
export type RowsOf = (hit: string) => string;

/** The rows of a version, whether a day names it or not. All are numbers, so nothing is bound. */
export function rowsOfDay({ websiteId, day, version }: DayKey): RowsOf {
  return (hit) => `${hit}.website = ${websiteId} AND ${hit}.day = ${day} AND ${hit}.version = ${version}`;
}

/** Some groups of a statement. Without `skip` they are any, otherwise those of a place in the order of values. */
interface Page {
  readonly skip?: number;
  readonly take: number;
}

/** Runs the statements of a query over one of its ranges. */
export class RowCounts {
  private readonly numbersOf: ReturnType<typeof bucketNumber>[];
  private readonly work: WorkSteps;

  constructor(
    private readonly reader: Queryable,
    private readonly hitQuery: Pick<HitQuery, 'dimensions' | 'metrics'>,
    range: Range,
    zone: Zone,
    check: Check = () => undefined,
  ) {
    this.work = new WorkSteps(check);
    this.numbersOf = hitQuery.dimensions.map((name) => bucketNumber(name, range, zone));
  }

  /**
   * A value may have several rows, whose counts are to be added up. Undefined if more values are to be compared than a
   * statement may have.
   */
  async count(
    { sql, parameters, metrics }: Aggregation,
    rows: RowsOf,
    page?: Page,
  ): Promise<PartialRows | undefined> {
    const bound = await this.boundTo(parameters, rows);
    if (!bound) return undefined;
    let next = 0;
    const withLists = selecting(sql, rows).replace(/\?/g, () => placeholdersOf(bound[next++]!));
    const groups = await this.reader.query<Group[]>(
      withLists + (page ? this.ending(page) : ''),
      bound.flat(),
    );
    return {
      keys: this.numbersOf.map((numberOf, index) => {
        const values = groups.map((group) => group[`value_${index}`]!);
        return numberOf ? values.map((value) => numberOf(Number(value))) : values;
      }),
      counts: this.hitQuery.metrics.map((metric) =>
        metrics.includes(metric)
          ? Float64Array.from(groups, (group) => countOf(group, metric))
          : new Float64Array(groups.length),
      ),
      currencies: this.hitQuery.metrics.includes('value_currency') ? groups.map(currenciesOf) : [],
      isMerged: false,
    };
  }

  /** The values of each placeholder. */
  private async boundTo(
    parameters: Aggregation['parameters'],
    rows: RowsOf,
  ): Promise<(string | number)[][] | undefined> {
    const bound: (string | number)[][] = [];
    const left = { ...COMPARED };
    for (const parameter of parameters) {
      if (typeof parameter !== 'object') {
        bound.push([parameter]);
        continue;
      }
      const read = await this.reader.query<{ value: string | null }[]>(
        `${selecting(parameter.sql, rows)} LIMIT ${COMPARED.values + 1}`,
        [...parameter.parameters],
      );
      const passes = passingOne(parameter.test, parameter.values, (units) => this.work.take(units));
      const passing = read.flatMap(({ value }) => (value !== null && passes(value) ? [value] : []));
      left.values -= passing.length;
      left.characters -= passing.reduce((sum, { length }) => sum + length, 0);
      if (read.length > COMPARED.values || left.values < 0 || left.characters < 0) return undefined;
      bound.push(passing);
    }
    return bound;
  }

  private ending({ skip, take }: Page): string {
    if (skip === undefined) return ` LIMIT ${take}`;
    const values = this.numbersOf.map((_, index) => `value_${index}`);
    const order = values.length > 0 ? ` ORDER BY ${values.join(', ')}` : '';
    return `${order} LIMIT ${take} OFFSET ${skip}`;
  }
}

/** Puts the condition of the rows into a statement. */
function selecting(sql: string, rows: RowsOf): string {
  return sql.replace(/\{days of (\w+)\}/g, (_, hit: string) => `(${rows(hit)})`);
}

/** No value is equal to NULL. */
function placeholdersOf({ length }: readonly unknown[]): string {
  return length === 0 ? 'NULL' : Array<string>(length).fill('?').join(', ');
}

function countOf(group: Group, metric: CountedMetric): number {
  if (metric === 'value_high') return Number(valueOf(group) / UNITS);
  return metric === 'value_low' ? Number(valueOf(group) % UNITS) : Number(group[metric]);
}

/** In 1/10,000. */
function valueOf({ value_high, value_low }: Group): bigint {
  return BigInt(value_high ?? 0) * UNITS + BigInt(value_low ?? 0);
}

function currenciesOf({ first_currency, last_currency }: Group): string[] {
  const currencies = [first_currency, last_currency].filter((own) => typeof own === 'string');
  return [...new Set(currencies)];
}

/** The number of the bucket of a day or a moment. Undefined if the values of a name are texts. */
function bucketNumber(name: DimensionName, range: Range, zone: Zone) {
  const origin = name === GOAL ? undefined : originOf(name);
  if (origin?.level !== 'moment') return undefined;
  const { bucket } = origin;
  if (bucket === 'hour_of_day') return (second: number) => second / HOUR_S;
  const buckets = BUCKETS[bucket](range.days, zone);
  return isOfDay(bucket) ? (day: number) => buckets.indexOf(day, 0) : (at: number) => buckets.indexOf(0, at);
}
