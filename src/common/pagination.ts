import { Field } from './fields';
import { oneOf, oneOfNumbers, wholeNumber } from './parsers';

export const PAGE_SIZES = [10, 25, 50, 100] as const;
export const DIRECTIONS = ['desc', 'asc'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What every list takes besides its own parameters. */
export class PageQuery {
  @Field({
    parse: oneOf(DIRECTIONS),
    api: { enum: DIRECTIONS, default: 'desc', description: 'The direction of the order.' },
  })
  sort: Direction = 'desc';

  @Field({
    parse: oneOfNumbers(PAGE_SIZES),
    api: { type: 'integer', enum: PAGE_SIZES, default: 10, description: 'How many results a page has.' },
  })
  per_page: (typeof PAGE_SIZES)[number] = 10;

  @Field({
    parse: wholeNumber,
    api: { type: 'integer', minimum: 1, default: 1, description: 'Which page to show.' },
  })
  page: number = 1;
}

/** One page of a list, and how long the whole list is. */
export class Page<T> {
  constructor(
    readonly rows: T[],
    readonly total: number,
    readonly query: PageQuery,
    readonly extra: object = {},
  ) {}

  /** The envelope, with links that keep the parameters as they were sent. */
  toEnvelope(path: string, parameters: Record<string, string>) {
    const { page, per_page } = this.query;
    const last = Math.max(1, Math.ceil(this.total / per_page));
    const link = (number: number) => {
      const query = new URLSearchParams({ ...parameters, page: String(number) });
      return `${path}?${query.toString()}`;
    };
    const from = this.rows.length === 0 ? 0 : offsetOf(this.query) + 1;
    return {
      data: this.rows,
      links: {
        first: link(1),
        last: link(last),
        prev: page > 1 ? link(Math.min(page - 1, last)) : null,
        next: page < last ? link(page + 1) : null,
      },
      meta: {
        current_page: page,
        from,
        last_page: last,
        path,
        per_page,
        to: from === 0 ? 0 : from + this.rows.length - 1,
        total: this.total,
        ...this.extra,
      },
    };
  }
}

/** What is not a page, but has something to be told beside it. */
export class WithMeta<T> {
  constructor(
    readonly data: T,
    readonly meta: object,
  ) {}

  toEnvelope() {
    return { data: this.data, meta: this.meta };
  }
}

export function offsetOf({ page, per_page }: PageQuery): number {
  return (page - 1) * per_page;
}
