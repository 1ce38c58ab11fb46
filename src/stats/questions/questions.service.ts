import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { foldCase } from '../../common/text';
import { textAt } from '../../common/lists/text-list';
import { Settings } from '../../config/settings';
import { CollectedNames } from '../collected-names';
import {
  type QuestionAnswerView,
  type QuestionMetaView,
  type QuestionRow,
  questionsIn,
  type QuestionsView,
} from '../dto/question.view';
import { Zone } from './plan/buckets';
import { filterOf } from './parse/filter';
import { type Counted, countedFor, type Metric, METRICS, valueOf, withParts } from './plan/metrics';
import { type AskedName, isMoment, placeOf } from './parse/names';
import type { Answer, Ordering, Question, QuestionResult, Rows } from './plan/question';
import type { AskedQuestion } from './parse/question-body';
import { type Calendar, checkLength, comparedWith, resolved, wordedRange } from './parse/question-range';
import { QuestionsRepository } from './questions.repository';
import { isOfSeveralCurrencies } from './count/value-sums';
import { addsCurrencies } from './count/values-of-events';
import { SharedQuestions } from '../shared/shared-questions.service';
import { isLimited, type Viewer } from '../viewers/viewer';
import { checkQuestions } from '../viewers/viewer-limits';
import { type LateName, questionWarnings, type Warning } from '../warnings';

/** Answers what callers ask in the words of a body. */
@Injectable()
export class QuestionsService {
  private readonly zone: Zone;

  constructor(
    private readonly questions: QuestionsRepository,
    private readonly names: CollectedNames,
    private readonly shared: SharedQuestions,
    private readonly settings: Settings,
  ) {
    this.zone = new Zone(settings.timezone);
  }

  async query(
    viewer: Viewer,
    websiteId: number,
    body: QuestionsView,
    caller: Caller,
  ): Promise<QuestionAnswerView | QuestionAnswerView[]> {
    const asked = questionsIn(body);
    const isList = body.queries !== undefined;
    checkQuestions(viewer, asked, isList);
    const pathOf = (index: number) => (isList ? `queries.${index}.` : '');
    const answers = isLimited(viewer)
      ? await this.shared.query(viewer, websiteId, asked, pathOf, caller)
      : await this.answers(viewer, websiteId, asked, pathOf, caller);
    return isList ? answers : answers[0]!;
  }

  private async answers(
    viewer: Viewer,
    websiteId: number,
    asked: AskedQuestion[],
    pathOf: (index: number) => string,
    caller: Caller,
  ): Promise<QuestionAnswerView[]> {
    const calendar = await this.questions.calendar(websiteId);
    const questions = asked.map((one, index) => {
      const question = this.planned(one, calendar);
      checkLength(question, pathOf(index));
      return question;
    });
    const result = await this.questions.ask(viewer, websiteId, caller, calendar.keptFrom, questions);
    const answers = asked.map(async (one, index) => {
      const [question, answer] = [questions[index]!, result.answers[index]!];
      const late = await this.names.lateIn([question], result.firstDay);
      return {
        data: rowsOf(one, question, answer),
        meta: this.metaOf(websiteId, one, question, result, answer, late),
      };
    });
    return Promise.all(answers);
  }

  private planned(asked: AskedQuestion, calendar: Calendar): Question {
    const { dimensions, compare, page, per_page, fill, search, unset } = asked;
    const range = resolved(asked.range, calendar, this.zone);
    return {
      range,
      previous: compare && comparedWith(range, compare, this.zone),
      filter: filterOf(asked.filters),
      dimensions,
      metrics: countedFor(asked.metrics),
      needsValue: !unset,
      search: search === undefined ? undefined : foldCase(search),
      fill: fill && search === undefined && isSeries(dimensions),
      order: orderOf(asked),
      skip: (page - 1) * per_page,
      take: per_page,
    };
  }

  private metaOf(
    websiteId: number,
    asked: AskedQuestion,
    { range, previous, fill, metrics: counted, filter }: Question,
    result: QuestionResult,
    { total, rows, isMerged }: Answer,
    late: LateName[],
  ): QuestionMetaView {
    const { metrics, dimensions, filters, compare, page, per_page } = asked;
    const isCut = typeof asked.range === 'object' && 'isCut' in asked.range && asked.range.isCut;
    const begins = previous ? [range, previous] : [range];
    const warnings: Warning[] = questionWarnings({
      keptFrom: begins.some(({ days }) => days.from < result.keptFrom) ? result.keptFrom : undefined,
      late,
      isMerged: result.isMerged || isMerged,
      forgotten: result.forgotten,
      isCut,
      currencies: hasSeveralCurrencies(counted, rows) ? { areAdded: addsCurrencies(filter) } : undefined,
      overlaps: metrics.includes('visitors') && dimensions.some(overlaps),
    });
    return {
      website_id: websiteId,
      metrics,
      dimensions,
      filters,
      range: wordedRange(range),
      ...(previous && { compare: compare!, previous_range: wordedRange(previous) }),
      order_by: asked.order_by ?? orderWordsOf(asked),
      fill,
      page,
      per_page,
      total,
      timezone: this.settings.timezone,
      as_of: result.asOf.toISOString(),
      ...(warnings.length > 0 && { warnings }),
    };
  }
}

function isSeries(dimensions: AskedName[]): boolean {
  return dimensions.length === 1 && isMoment(dimensions[0]!);
}

function hasSeveralCurrencies(counted: Counted[], { metrics, previous }: Rows): boolean {
  const place = counted.indexOf('value_currency');
  return [metrics[place], previous[place]].some((column) => column?.some(isOfSeveralCurrencies));
}

/** Whether a visitor of a day may stand in several rows. */
function overlaps(name: AskedName): boolean {
  const { level } = placeOf(name);
  return level === 'moment' ? name === 'hour' || name === 'hour_of_day' : level !== 'visitor';
}

/** Series in their own order, other rows the largest first. */
function orderWordsOf({ metrics, dimensions }: AskedQuestion): NonNullable<AskedQuestion['order_by']> {
  return isSeries(dimensions) ? [[dimensions[0]!, 'asc']] : [[metrics[0]!, 'desc']];
}

function orderOf(asked: AskedQuestion): Ordering[] {
  return (asked.order_by ?? orderWordsOf(asked)).map(([name, direction]) => {
    const metric = METRICS.find((known) => known === name);
    const by = metric ? { metric } : { dimension: asked.dimensions.indexOf(name as AskedName) };
    return { by, direction };
  });
}

function rowsOf(
  { metrics, dimensions }: AskedQuestion,
  { metrics: counted, filter }: Question,
  { rows }: Answer,
): QuestionRow[] {
  const shown = withParts(metrics);
  const numbers = (counts: Float64Array[], index: number) =>
    shown.map((metric): [Metric, number | string | null] => [
      metric,
      valueOf(metric, (part) => counts[counted.indexOf(part)]![index]!, addsCurrencies(filter)),
    ]);
  return Array.from(rows.metrics[0]!, (_, index) => {
    const values = dimensions.map((name, place) => [name, textAt(rows.dimensions[place]!, index)] as const);
    const row = Object.fromEntries<QuestionRow[string]>([...values, ...numbers(rows.metrics, index)]);
    if (rows.previous.length > 0) row.previous = Object.fromEntries(numbers(rows.previous, index));
    return row;
  });
}
