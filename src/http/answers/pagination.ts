import { offsetOf, type Rows } from '../../../engine/ground/rows';
import type { PageQuery } from '../../validation/page-query';

/** One page of a list with additional metadata. */
export class Page<T> {
  readonly rows: T[];
  readonly total: number;

  constructor(
    { rows, total }: Rows<T>,
    readonly query: Pick<PageQuery, 'page' | 'per_page'>,
    readonly extra: object = {},
  ) {
    this.rows = rows;
    this.total = total;
  }

  /** The envelope, with links that keep the parameters as they were sent. `base` comes before their paths. */
  toEnvelope(path: string, parameters: Record<string, string>, base = '') {
    const { page, per_page } = this.query;
    const last = Math.max(1, Math.ceil(this.total / per_page));
    const link = (number: number) => {
      const query = new URLSearchParams({ ...parameters, page: String(number) });
      return `${base}${path}?${query.toString()}`;
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

/** A result that is not paged and has a `meta`. */
export class WithMeta<T> {
  constructor(
    readonly data: T,
    readonly meta: object,
  ) {}

  toEnvelope() {
    return { data: this.data, meta: this.meta };
  }
}

/** A result with a `meta` that can also be sent as a file of these rows. */
export class Table<T> extends WithMeta<T> {
  constructor(
    data: T,
    meta: object,
    readonly file: { name: string; columns: readonly string[]; rows: readonly object[] },
  ) {
    super(data, meta);
  }
}
