import { Injectable } from '@nestjs/common';
import { version as release } from '../../../package.json';
import type { Caller } from '../../common/gate';
import { offsetOf } from '../../common/page';
import { foldCase } from '../../common/text';
import { Settings } from '../../config/settings';
import type { Span } from '../../storage/calendar';
import { CollectedNames } from '../collected-names';
import type { ShowStats } from '../dto/show-stats.dto';
import type { StatSummaryView } from '../dto/stats.view';
import type { SummariseStats } from '../dto/summarise-stats.dto';
import { entriesOf, type EntryName, hasCounters } from '../name-list';
import type { QuestionResult } from '../questions/question';
import { QuestionsRepository } from '../questions/questions.repository';
import { checkRange, comparedRange, type Comparing, type RangeQuery } from '../range-query';
import type { Snapshot } from '../snapshot';
import { StatsRepository } from '../stats.repository';
import { type HasVersion, metaOf, type Versioned } from '../versions';
import type { Viewer } from '../viewer';
import { LEFT_OUT, questionWarnings, SMALL_GROUPED, type Warning, warningsOf } from '../warnings';
import { SharedCalendar } from './shared-calendar';
import type { DayRange, Ranges, Shown, Wanted } from './shown';
import { shownValues } from './shown-counters';
import { countsByDay, type DaysName, shownDays } from './shown-days';
import { questionsOfHits, shownOfHits } from './shown-hits';
import { byVisitors } from './small-numbers';

const LARGEST_FIRST = { by: 'count', direction: 'desc' } as const;
const IN_ORDER = { by: 'value', direction: 'asc' } as const;

interface Answered {
  shown: Shown[];
  asOf: Date;
  warnings: Warning[];
}

/** Statistics as viewers of a shared page see them, where its website does not let them filter. */
@Injectable()
export class SharedStats {
  constructor(
    private readonly stats: StatsRepository,
    private readonly questions: QuestionsRepository,
    private readonly names: CollectedNames,
    private readonly calendar: SharedCalendar,
    private readonly settings: Settings,
  ) {}

  async page(viewer: Viewer, websiteId: number, query: ShowStats, caller: Caller, has: HasVersion) {
    const { name, search, sort_by, sort, per_page } = query;
    const wanted: Wanted = {
      name,
      search: search === undefined ? undefined : foldCase(search),
      order: { by: sort_by, direction: sort },
      page: { skip: offsetOf(query), take: per_page },
    };
    const { shown, ...answered } = await this.answered(viewer, websiteId, query, [wanted], caller);
    const { entries, total, ...sums } = shown[0]!;
    const own = { name, counts: entriesOf(name).counts, ...worded(sums) };
    const meta = this.metaOf(websiteId, query, answered, own);
    return versioned({ rows: entries, total, meta }, has);
  }

  async summarise(
    viewer: Viewer,
    websiteId: number,
    query: SummariseStats & Comparing,
    caller: Caller,
    has: HasVersion,
  ) {
    const { names, fill, per_page } = query;
    const wanted = names.map((name): Wanted => {
      const page = { skip: 0, take: per_page };
      return entriesOf(name).days
        ? { name, order: IN_ORDER, page, allDays: { fill } }
        : { name, order: LARGEST_FIRST, page };
    });
    const { shown, ...answered } = await this.answered(viewer, websiteId, query, wanted, caller);
    const summaries = shown.map(({ entries, total, ...sums }, index): StatSummaryView => {
      const name = names[index]!;
      return { name, counts: entriesOf(name).counts, total, ...worded(sums), entries };
    });
    return versioned({ summaries, meta: this.metaOf(websiteId, query, answered, {}) }, has);
  }

  /** What has counters comes from one snapshot; the days that it calls busy are those whose hits are asked for. */
  private async answered(
    viewer: Viewer,
    websiteId: number,
    query: RangeQuery,
    wanted: Wanted[],
    caller: Caller,
  ): Promise<Answered> {
    checkRange(query);
    const { today, startOfToday, keptFrom } = await this.calendar.now();
    const { result, asOf } = await this.stats.at(viewer, websiteId, caller, async (snapshot) => {
      const ranges = await rangesIn(snapshot, query, today);
      const shown: (Shown | undefined)[] = [];
      for (const one of wanted) {
        caller.signal?.throwIfAborted();
        shown.push(await countedIn(snapshot, one, ranges, today));
      }
      const names = wanted.map(({ name }) => name).filter((name) => hasCounters(name));
      const spans = [ranges.previous, ranges].flatMap((range) => range?.over?.span ?? []);
      return { ranges, shown, ...(await warningsOf(snapshot, names, spans)) };
    });
    const { ranges } = result;
    const warnings = [...(result.warnings ?? [])];
    const ofHits = wanted.map((one, index) => (result.shown[index] ? [] : questionsOfHits(one, ranges)));
    const questions = ofHits.flat();
    let answers: QuestionResult['answers'] = [];
    if (questions.length > 0) {
      const asked = await this.questions.ask(viewer, websiteId, caller, keptFrom, questions);
      const late = await this.names.lateIn(questions, asked.firstDay);
      const isBefore = [ranges.previous, ranges].some(
        (one) => one?.over && one.over.span.from < asked.keptFrom,
      );
      const { isMerged, forgotten } = asked;
      const begins = isBefore ? asked.keptFrom : undefined;
      warnings.push(...questionWarnings({ keptFrom: begins, late, isMerged, forgotten }));
      answers = asked.answers;
    }
    const shown: Shown[] = [];
    for (const [index, one] of wanted.entries()) {
      const own = answers.splice(0, ofHits[index]!.length);
      shown.push(result.shown[index] ?? (await shownOfHits(one, ranges, own)));
    }
    if (query.to >= today) warnings.push(LEFT_OUT);
    if (wanted.some(({ name }) => !isOfDays(name))) warnings.push(SMALL_GROUPED);
    return { shown, warnings, asOf: new Date(Math.min(asOf.getTime(), startOfToday)) };
  }

  private metaOf<T extends object>(
    websiteId: number,
    query: RangeQuery,
    { asOf, warnings }: Omit<Answered, 'shown'>,
    own: T,
  ) {
    return {
      ...metaOf(this.settings, websiteId, query, asOf),
      ...own,
      ...(warnings.length > 0 && { warnings }),
    };
  }
}

const isOfDays = (name: EntryName): name is DaysName => name === 'visitor' || name === 'pageview';

/** Undefined for a name that is counted from hits. */
function countedIn(
  snapshot: Snapshot,
  wanted: Wanted,
  ranges: Ranges,
  today: number,
): Promise<Shown> | undefined {
  const { name } = wanted;
  if (isOfDays(name)) return shownDays(snapshot, { ...wanted, name }, ranges, today);
  return hasCounters(name) ? shownValues(snapshot, { ...wanted, name }, ranges) : undefined;
}

async function rangesIn(snapshot: Snapshot, query: RangeQuery, today: number): Promise<Ranges> {
  const rangeOf = async (whole: Span): Promise<DayRange> => {
    const span = { from: whole.from, to: Math.min(whole.to, today - 1) };
    if (span.from > span.to) return { whole, over: undefined };
    return { whole, over: { span, ...byVisitors(await countsByDay(snapshot, 'visitor', span)) } };
  };
  const compared = comparedRange(query);
  const whole = { from: query.from, to: query.to };
  return { ...(await rangeOf(whole)), previous: compared && (await rangeOf(compared)) };
}

function worded({ sum, previousSum }: Pick<Shown, 'sum' | 'previousSum'>) {
  return { sum, ...(previousSum !== undefined && { previous_sum: previousSum }) };
}

/** It is the same as long as what is shown is: a version of the counters would tell of each hit. */
function versioned<T>(result: T, has: HasVersion): Versioned<T> {
  const version = [release, result];
  return { version, result: has(version) ? undefined : result };
}
