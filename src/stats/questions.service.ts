import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/gate';
import { InvalidFields } from '../common/problem';
import { textAt } from '../common/text-list';
import { Settings } from '../config/settings';
import type { QuestionMetaView, QuestionRow } from './dto/question.view';
import { MAX_DAYS_OF_HOURS, Zone } from './questions/buckets';
import { filterOf } from './questions/filter';
import { COUNTED, type Metric, METRICS, valueOf, withParts } from './questions/metrics';
import { ASKED, type AskedName, isMoment } from './questions/names';
import type { Answer, Ordering, Question, QuestionResult } from './questions/question';
import { type AskedQuestion, readQuestions } from './questions/question-body';
import { type Calendar, comparedWith, resolved, wordedRange } from './questions/question-range';
import { QuestionsRepository } from './questions/questions.repository';
import type { Viewer } from './viewer';
import { questionWarnings, type Warning } from './warnings';

const MAX_FILLED_DAYS = 100_000;

export interface QuestionAnswer {
  data: QuestionRow[];
  meta: QuestionMetaView;
}

/** Answers what callers ask in the words of a body. */
@Injectable()
export class QuestionsService {
  private readonly zone: Zone;

  constructor(
    private readonly questions: QuestionsRepository,
    private readonly settings: Settings,
  ) {
    this.zone = new Zone(settings.timezone);
  }

  async query(
    viewer: Viewer,
    websiteId: number,
    body: unknown,
    caller: Caller,
  ): Promise<QuestionAnswer | QuestionAnswer[]> {
    const { questions: asked, isList } = readQuestions(body);
    const calendar = await this.questions.calendar(websiteId);
    const plans = asked.map((one, index) => {
      const question = this.planned(one, calendar);
      checkLength(question, isList ? `queries.${index}.` : '');
      return question;
    });
    const result = await this.questions.ask(viewer, websiteId, caller, calendar.keptFrom, plans);
    const answers = asked.map((one, index) => ({
      data: rowsOf(one, result.answers[index]!),
      meta: this.metaOf(websiteId, one, plans[index]!, result, result.answers[index]!),
    }));
    return isList ? answers : answers[0]!;
  }

  private planned(asked: AskedQuestion, calendar: Calendar): Question {
    const { dimensions, compare, page, per_page, fill } = asked;
    const range = resolved(asked.range, calendar, this.zone);
    const shown = withParts(asked.metrics);
    return {
      range,
      previous: compare && comparedWith(range, compare, this.zone),
      filter: filterOf(asked.filters),
      dimensions,
      metrics: COUNTED.filter((metric) => shown.includes(metric)),
      fill: fill && isSeries(dimensions),
      order: orderOf(asked),
      skip: (page - 1) * per_page,
      take: per_page,
    };
  }

  private metaOf(
    websiteId: number,
    asked: AskedQuestion,
    { range, previous, fill }: Question,
    result: QuestionResult,
    { total }: Answer,
  ): QuestionMetaView {
    const { metrics, dimensions, filters, compare, page, per_page } = asked;
    const isCut = typeof asked.range === 'object' && 'isCut' in asked.range && asked.range.isCut;
    const begins = previous ? [range, previous] : [range];
    const warnings: Warning[] = questionWarnings({
      keptFrom: begins.some(({ days }) => days.from < result.keptFrom) ? result.keptFrom : undefined,
      isMerged: result.isMerged,
      isCut,
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

/** Whether a visitor of a day may stand in several rows. */
function overlaps(name: AskedName): boolean {
  const { level } = ASKED[name];
  return level === 'moment' ? name === 'hour' || name === 'hour_of_day' : level !== 'visitor';
}

function checkLength({ range, dimensions, fill }: Question, path: string): void {
  const days = range.days.to - range.days.from + 1;
  if (dimensions.includes('hour') && days > MAX_DAYS_OF_HOURS)
    throw new InvalidFields({
      [`${path}range`]: [`must not be longer than ${MAX_DAYS_OF_HOURS} days where "hour" is asked for`],
    });
  if (fill && days > MAX_FILLED_DAYS)
    throw new InvalidFields({
      [`${path}range`]: [`must not be longer than ${MAX_FILLED_DAYS} days, unless "fill" is false`],
    });
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

function rowsOf({ metrics, dimensions }: AskedQuestion, { rows }: Answer): QuestionRow[] {
  const shown = withParts(metrics);
  const counted = COUNTED.filter((metric) => shown.includes(metric));
  const numbers = (counts: Float64Array[], index: number) =>
    shown.map((metric): [Metric, number | null] => [
      metric,
      valueOf(metric, (part) => counts[counted.indexOf(part)]![index]!),
    ]);
  return Array.from(rows.metrics[0]!, (_, index) => {
    const values = dimensions.map((name, place) => [name, textAt(rows.dimensions[place]!, index)] as const);
    const row = Object.fromEntries<QuestionRow[string]>([...values, ...numbers(rows.metrics, index)]);
    if (rows.previous.length > 0) row.previous = Object.fromEntries(numbers(rows.previous, index));
    return row;
  });
}
