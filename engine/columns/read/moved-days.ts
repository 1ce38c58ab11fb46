import type { PeakMemory } from '../../asking/memory/peak-memory';
import { QueryTooLarge } from '../../asking/memory/working-memory';
import type { PartialQuery } from '../../asking/partial';
import { noRows, type PartialRows } from '../../asking/count/partial-rows';
import type { Queryable } from '../../database/rows';
import type { Check } from '../../ground/deadline-check';
import type { Span } from '../../hits/calendar';
import { bytesOfTexts } from '../../hits/codes/text-codes';
import type { Aggregation, Statements } from '../../questions/plan/aggregation';
import type { Zone } from '../../questions/plan/buckets';
import type { HitQuery, Range } from '../../questions/plan/hit-query';
import { hasDay } from '../../questions/plan/range-days';
import { HOMES } from '../segments/hit-segments';
import { RowCounts, type RowsOf } from '../../rows/counted-rows';

/**
 * SQLite cannot end a statement, and has all of its groups in memory. So a statement counts some days, or some visitors
 * of a large day, and the deadline is checked between them.
 */
export const OF_STATEMENT = { hits: 200_000, days: 366, groups: 10_000 };

/** A day whose hits are rows. */
interface MovedDay {
  readonly day: number;
  readonly hits: number;
}

/** The rows that a statement counts. A visitor counts once, so all of its rows are in one piece. */
interface Piece {
  readonly days: readonly MovedDay[];
  /** The approximate number of hits. */
  readonly hits: number;
  /** The numbers of visitors of the only day. Undefined if all are. */
  readonly visitors?: Span;
}

interface Around {
  readonly websiteId: number;
  readonly zone: Zone;
  readonly check: Check;
  readonly memory: PeakMemory;
}

/** A range of the query with its statements. */
interface CountedRange {
  readonly range: Range;
  readonly aggregations: readonly Aggregation[];
  readonly counts: RowCounts;
  readonly partialOf: (rows: PartialRows) => PartialQuery;
}

/** Counts a query by its statements, in the snapshot that names the days. */
export class MovedDays {
  private readonly ranges: CountedRange[] = [];
  private mostHits: number;

  constructor(
    private readonly reader: Queryable,
    hitQuery: HitQuery,
    statements: Statements,
    private readonly around: Around,
  ) {
    const { range, previous } = hitQuery;
    const counts = (own: Range) => new RowCounts(reader, hitQuery, own, around.zone, around.check);
    this.ranges.push({
      ...{ range, aggregations: statements.range, counts: counts(range) },
      partialOf: (rows) => [{ rows, previous: undefined }],
    });
    if (previous)
      this.ranges.push({
        ...{ range: previous, aggregations: statements.previous!, counts: counts(previous) },
        partialOf: (rows) => [{ rows: noRows(hitQuery), previous: rows }],
      });
    this.mostHits = OF_STATEMENT.hits / Math.max(1, ...statements.range.map(selectsIn));
  }

  async *count(days: readonly MovedDay[]): AsyncGenerator<PartialQuery> {
    for (const { range, aggregations, counts, partialOf } of this.ranges) {
      const covered = days.filter(({ day }) => hasDay(range, day));
      for (const aggregation of covered.length > 0 ? aggregations : [])
        for await (const rows of this.countPiece(counts, aggregation, pieceOf(covered)))
          yield partialOf(rows);
    }
  }

  /** Halves it while it is too large for a statement. */
  private async *countPiece(
    counts: RowCounts,
    aggregation: Aggregation,
    piece: Piece,
  ): AsyncGenerator<PartialRows> {
    const { websiteId, check } = this.around;
    check();
    const rows = rowsOf(websiteId, piece);
    if (piece.hits <= this.mostHits && piece.days.length <= OF_STATEMENT.days) {
      const found = await counts.count(aggregation, rows, { take: OF_STATEMENT.groups + 1 });
      if (found) this.reserve(found);
      if (found && sizeOf(found) <= OF_STATEMENT.groups) {
        yield found;
        return;
      }
      // Others of this size have as many groups and values. One visitor with very many says nothing about others.
      this.mostHits = Math.max(OF_STATEMENT.groups, piece.hits / 2);
    }
    const halves = await this.halvesOf(piece);
    for (const half of halves) yield* this.countPiece(counts, aggregation, half);
    if (halves.length > 0) return;
    for (let skip = 0, isLast = false; !isLast; skip += OF_STATEMENT.groups) {
      check();
      const found = await counts.count(aggregation, rows, { skip, take: OF_STATEMENT.groups });
      if (!found)
        throw new QueryTooLarge({ range: ['has too many distinct values to compare; request fewer days'] });
      this.reserve(found);
      yield found;
      isLast = sizeOf(found) < OF_STATEMENT.groups;
    }
  }

  /** Empty for the hits of one visitor. */
  private async halvesOf({ days, hits, visitors }: Piece): Promise<Piece[]> {
    const [first, ...others] = days;
    if (others.length > 0) {
      const half = Math.ceil(days.length / 2);
      return [pieceOf(days.slice(0, half)), pieceOf(days.slice(half))];
    }
    const { from, to } = visitors ?? { from: 0, to: await this.lastVisitorOf(first!) };
    if (from >= to) return [];
    const middle = Math.floor((from + to) / 2);
    const halfOf = (own: Span): Piece => ({ days, hits: hits / 2, visitors: own });
    return [halfOf({ from, to: middle }), halfOf({ from: middle + 1, to })];
  }

  private async lastVisitorOf({ day }: MovedDay): Promise<number> {
    const [row] = await this.reader.query<{ visitor: number | string | null }[]>(
      `SELECT MAX(hit.visitor) AS visitor FROM hits hit
      WHERE (hit.website, hit.day, hit.version) = (${named(this.around.websiteId, `= ${day}`)})`,
    );
    return Number(row!.visitor);
  }

  private reserve({ keys }: PartialRows): void {
    const characters = keys
      .flat()
      .reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
    this.around.memory.reserve(bytesOfTexts(keys.length * (keys[0]?.length ?? 0), characters));
  }
}

function pieceOf(days: readonly MovedDay[]): Piece {
  return { days, hits: days.reduce((sum, { hits }) => sum + hits, 0) };
}

/** All are numbers, so nothing is bound. */
function rowsOf(websiteId: number, { days, visitors }: Piece): RowsOf {
  const isNamed = named(websiteId, `IN (${days.map(({ day }) => day).join(', ')})`);
  return (hit) =>
    `(${hit}.website, ${hit}.day, ${hit}.version) IN (${isNamed})` +
    (visitors ? ` AND ${hit}.visitor BETWEEN ${visitors.from} AND ${visitors.to}` : '');
}

function named(websiteId: number, days: string): string {
  return `SELECT named.website_id, named.day, named.segment FROM hit_days named
    WHERE named.website_id = ${websiteId} AND named.home = ${HOMES.rows} AND named.day ${days}`;
}

function sizeOf({ counts }: PartialRows): number {
  return counts[0]!.length;
}

/** The work for each hit. */
function selectsIn({ sql }: Aggregation): number {
  return sql.match(/\bSELECT\b/g)!.length;
}
