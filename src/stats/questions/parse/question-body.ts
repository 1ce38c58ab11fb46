import { type FieldErrors, InvalidFields, UnsupportedBody } from '../../../common/problem';
import { type Fields, isForm, SENT_TWICE } from '../../../validation/fields';
import { type Direction, DIRECTIONS } from '../../../validation/page-query';
import { readFilters } from './body-filters';
import type { FilterJson } from './filter';
import { type Metric, METRICS } from '../plan/metrics';
import { ASKED_NAMES, type AskedName, isAskedName } from './names';
import { type AskedRange, type ComparisonName, COMPARISONS, readRange } from './question-range';

export const MAX_QUESTIONS = 20;
export const MAX_DIMENSIONS = 3;
export const MAX_PER_PAGE = 1000;
export const DEFAULT_PER_PAGE = 100;
const MAX_ORDERINGS = 10;
const MAX_SEARCH_BYTES = 1024;
const FIELDS = [
  'metrics',
  'dimensions',
  'filters',
  'range',
  'compare',
  'order_by',
  'page',
  'per_page',
  'fill',
  'search',
  'unset',
];

/** One question as it was sent. */
export interface AskedQuestion {
  metrics: Metric[];
  dimensions: AskedName[];
  filters: FilterJson[];
  range: AskedRange;
  compare: ComparisonName | undefined;
  order_by: [Metric | AskedName, Direction][] | undefined;
  page: number;
  per_page: number;
  fill: boolean;
  search: string | undefined;
  /** Whether the row of what has no value is listed. */
  unset: boolean;
}

export interface AskedQuestions {
  questions: AskedQuestion[];
  /** Whether they came as a list, which is answered as one. */
  isList: boolean;
}

/** Reads a body. Every error names its place, such as `queries.0.filters.1`. */
export function readQuestions(body: unknown): AskedQuestions {
  if (isForm(body)) throw new UnsupportedBody('application/json');
  const reader = new BodyReader();
  const read = reader.body(body ?? {});
  if (Object.keys(reader.errors).length > 0) throw new InvalidFields(reader.errors);
  return read;
}

class BodyReader {
  readonly errors = Object.create(null) as FieldErrors;

  body(body: unknown): AskedQuestions {
    const fields = this.fields(body, '', [...FIELDS, 'queries']);
    if (!fields || !('queries' in fields))
      return { questions: [this.question(fields ?? {}, '')], isList: false };
    const { queries, ...others } = fields;
    for (const name of Object.keys(others)) this.refuse(name, 'must not stand beside "queries"');
    const list = this.list(queries, 'queries', MAX_QUESTIONS);
    if (list.length === 0) this.refuse('queries', 'must not be empty');
    const questions = list.map((one, index) => {
      const path = `queries.${index}.`;
      return this.question(this.fields(one, path, FIELDS) ?? {}, path);
    });
    return { questions, isList: true };
  }

  /** A part that cannot be read is as if it had not been sent, and an error. */
  private question(fields: Fields, path: string): AskedQuestion {
    const metrics = this.names(fields.metrics, `${path}metrics`, isMetric, METRICS, METRICS.length);
    if (metrics.length === 0) this.refuse(`${path}metrics`, `must have one or more of ${METRICS.join(', ')}`);
    const dimensions = this.names(
      fields.dimensions,
      `${path}dimensions`,
      isAskedName,
      ASKED_NAMES,
      MAX_DIMENSIONS,
    );
    const refuse = (place: string, problem: string) => this.refuse(path + place, problem);
    return {
      metrics,
      dimensions,
      filters: readFilters(fields.filters, refuse),
      range: readRange(fields.range, refuse),
      compare: this.oneOf(fields.compare, `${path}compare`, COMPARISONS),
      order_by: this.orderings(fields.order_by, `${path}order_by`, [...metrics, ...dimensions]),
      page: this.integer(fields.page, `${path}page`, Number.MAX_SAFE_INTEGER / MAX_PER_PAGE) ?? 1,
      per_page: this.integer(fields.per_page, `${path}per_page`, MAX_PER_PAGE) ?? DEFAULT_PER_PAGE,
      fill: this.oneOf(fields.fill, `${path}fill`, [true, false]) ?? true,
      search: this.search(fields.search, `${path}search`, dimensions),
      unset: this.oneOf(fields.unset, `${path}unset`, [true, false]) ?? true,
    };
  }

  private refuse(path: string, problem: string): undefined {
    this.errors[path] ??= [problem];
    return undefined;
  }

  private fields(sent: unknown, path: string, names: readonly string[]): Fields | undefined {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
      return this.refuse(path.slice(0, -1) || 'body', 'must be an object of fields');
    const fields = Object.create(null) as Fields;
    for (const [name, value] of Object.entries(sent)) {
      if (!names.includes(name))
        this.refuse(
          path + name.slice(0, 100).toWellFormed(),
          `is not a known field (allowed: ${names.join(', ')})`,
        );
      else if (value === SENT_TWICE) this.refuse(path + name, 'must be sent once');
      else fields[name] = value;
    }
    return fields;
  }

  private list(sent: unknown, path: string, most: number): unknown[] {
    if (sent === undefined) return [];
    if (Array.isArray(sent) && sent.length <= most) return sent as unknown[];
    this.refuse(path, `must be a list of at most ${most}`);
    return [];
  }

  private names<T extends string>(
    sent: unknown,
    path: string,
    isKnown: (one: unknown) => one is T,
    known: readonly string[],
    most: number,
  ): T[] {
    const names = this.list(sent, path, most).filter((one, index): one is T => {
      if (!isKnown(one)) this.refuse(`${path}.${index}`, oneOf(known));
      return isKnown(one);
    });
    if (new Set(names).size < names.length) this.refuse(path, 'must not contain duplicates');
    return names;
  }

  private oneOf<T>(sent: unknown, path: string, known: readonly T[]): T | undefined {
    if (sent === undefined || known.includes(sent as T)) return sent as T | undefined;
    return this.refuse(path, oneOf(known));
  }

  private search(sent: unknown, path: string, dimensions: AskedName[]): string | undefined {
    if (sent === undefined || sent === '') return undefined;
    if (typeof sent !== 'string' || !sent.isWellFormed() || Buffer.byteLength(sent) > MAX_SEARCH_BYTES)
      return this.refuse(path, `must be a text of at most ${MAX_SEARCH_BYTES} bytes`);
    if (dimensions.length !== 1) return this.refuse(path, 'must stand beside one dimension');
    return sent;
  }

  private integer(sent: unknown, path: string, most: number): number | undefined {
    if (sent === undefined) return undefined;
    if (Number.isInteger(sent) && (sent as number) >= 1 && (sent as number) <= most) return sent as number;
    return this.refuse(path, `must be an integer from 1 to ${Math.floor(most)}`);
  }

  private orderings<T extends string>(
    sent: unknown,
    path: string,
    names: readonly T[],
  ): [T, Direction][] | undefined {
    if (sent === undefined) return undefined;
    return this.list(sent, path, MAX_ORDERINGS).flatMap((one, index): [T, Direction][] => {
      if (!Array.isArray(one) || one.length !== 2) {
        this.refuse(`${path}.${index}`, 'must be a list of a name and "asc" or "desc"');
        return [];
      }
      const name = this.oneOf(one[0], `${path}.${index}.0`, names);
      const direction = this.oneOf(one[1], `${path}.${index}.1`, DIRECTIONS);
      return name === undefined || direction === undefined ? [] : [[name, direction]];
    });
  }
}

function isMetric(one: unknown): one is Metric {
  return METRICS.some((metric) => metric === one);
}

function oneOf(known: readonly unknown[]): string {
  return `must be one of ${known.join(', ')}`;
}
