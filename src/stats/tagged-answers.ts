import { withParts } from '../../engine/questions/plan/metrics';
import { dayText } from '../../engine/ground/time/days';
import type { Caller } from '../../engine/ground/gate';
import { entityTagOf, HAS_NONE, type Precondition } from '../http/answers/entity-tags';
import type { Listing } from '../http/answers/listing';
import { Page, Table } from '../http/answers/pagination';
import { Tagged } from '../http/answers/revalidation';
import type { ListValues } from './dto/list-values.dto';
import type { ShowStats } from './dto/show-stats.dto';
import type { HitQueriesView, QueryAnswerView, QueryRow } from './dto/query.view';
import { COMPARED_COLUMNS, ENTRY_COLUMNS, type StatEntryView, type StatSummaryView } from './dto/stats.view';
import type { SummariseStats } from './dto/summarise-stats.dto';
import type { QueriesService } from './queries/queries.service';
import type { StatsService } from './stats.service';
import { hasNone, type HasVersion, type Versioned } from './website-versions';
import type { Owner, Viewer } from './viewers/viewer';

/** The caller, and the requested website. */
export interface StatsCaller {
  viewer: Viewer;
  websiteId: number;
  caller: Caller;
}

/** The name of a statistics file, and its columns. */
export function fileOf({ name, from, to, compare }: ShowStats) {
  return {
    name: `${name}-${dayText(from)}-${dayText(to)}`,
    columns: compare ? COMPARED_COLUMNS : ENTRY_COLUMNS,
  };
}

/** An entry of any name on each line. */
function fileOfSummary({ from, to, compare }: SummariseStats, summaries: StatSummaryView[]) {
  return {
    name: `summary-${dayText(from)}-${dayText(to)}`,
    columns: ['name', ...(compare ? COMPARED_COLUMNS : ENTRY_COLUMNS)],
    rows: summaries.flatMap(({ name, entries }) => entries.map((entry) => ({ name, ...entry }))),
  };
}

/** A row on each line, in which the numbers of the previous range have names of their own. */
function fileOfQuery({ data, meta }: QueryAnswerView) {
  const metrics = withParts(meta.metrics);
  const previous = meta.compare ? metrics.map((metric) => [`previous_${metric}`, metric] as const) : [];
  return {
    name: 'query',
    columns: [...meta.dimensions, ...metrics, ...previous.map(([column]) => column)],
    rows: data.map(({ previous: before, ...row }) => {
      const numbers = previous.map(([column, metric]) => [column, (before as QueryRow)[metric]]);
      return { ...row, ...Object.fromEntries(numbers) } as QueryRow;
    }),
  };
}

export function listingOf(
  stats: StatsService,
  asking: StatsCaller & { viewer: Owner },
  query: ShowStats,
): Listing<StatEntryView> {
  const { viewer, websiteId, caller } = asking;
  return {
    ...fileOf(query),
    page: (isKnown) => pageOf(stats, asking, query, isKnown),
    ...stats.file(viewer, websiteId, query, caller),
  };
}

export async function pageOf(
  stats: StatsService,
  { viewer, websiteId, caller }: StatsCaller,
  query: ShowStats,
  isKnown: Precondition,
): Promise<Tagged<Page<StatEntryView>>> {
  return tagged(
    await stats.page(viewer, websiteId, query, caller, versionIn(isKnown)),
    (result) => new Page(result, query, result.meta),
  );
}

export async function summaryOf(
  stats: StatsService,
  { viewer, websiteId, caller }: StatsCaller,
  query: SummariseStats,
  isKnown: Precondition,
) {
  return tagged(
    await stats.summarise(viewer, websiteId, query, caller, versionIn(isKnown)),
    ({ summaries, meta }) => new Table(summaries, meta, fileOfSummary(query, summaries)),
  );
}

export async function answerOf(
  hitQueries: QueriesService,
  { viewer, websiteId, caller }: StatsCaller,
  body: HitQueriesView,
) {
  const answer = await hitQueries.query(viewer, websiteId, body, caller);
  return Array.isArray(answer) ? answer : new Table(answer.data, answer.meta, fileOfQuery(answer));
}

export async function valuesOf(
  stats: StatsService,
  { viewer, websiteId, caller }: StatsCaller,
  query: ListValues,
) {
  const { values, meta } = await stats.values(viewer, websiteId, query, caller);
  const { as_of, ...known } = meta;
  const file = { name: 'values', columns: ENTRY_COLUMNS, rows: values };
  return new Tagged(entityTagOf([values, known]), new Table(values, { ...known, as_of }, file));
}

function versionIn(isKnown: Precondition): HasVersion {
  return isKnown === HAS_NONE ? hasNone : (version) => isKnown(entityTagOf(version));
}

function tagged<T, B>({ version, result }: Versioned<T>, bodyOf: (result: T) => B): Tagged<B> {
  return new Tagged(entityTagOf(version), result && bodyOf(result));
}
