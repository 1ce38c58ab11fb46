import { type QueryToSend, type PageMeta, type QueryAnswer, type StatsAnswer, urlOf } from '../../shared/api';
import { type Filter, type FilterJson, queryFilters } from '../filters/filters';
import { searchFor } from '../../shared/language/code-labels';
import { type Counted, described, isProperty, type Name } from '../../shared/names';
import { type Entry, isCounted, MAX_ROWS, type Places, topOfRows } from '../page-answer';
import { daysOnly, queryRange, type Span } from '../../shared/ranges';
import { byNumber } from '../panels/number-order';
import { metricsOf } from '../panels/sums';
import type { AutomaticEvent } from '../panels/automatic/automatic-events';

export type Order = 'count' | 'value';

/** A page of all entries of a name. */
export interface Listing {
  name: Name;
  /** The panel of one event whose property it is. */
  automatic?: AutomaticEvent | undefined;
  /** Tells whether hits may be queried like the owner can. */
  mayFilter: boolean;
  span: Span;
  /** Tells whether the service compares it with the previous period, or the values that it lists are queried again. */
  compares: 'service' | 'values' | undefined;
  filters: Filter[];
  search: string | undefined;
  order: Order;
  page: number;
  /** 25 unless it is given. */
  perPage?: number;
}

export interface Listed {
  entries: Entry[];
  meta: Pick<PageMeta, 'from' | 'to' | 'total' | 'current_page' | 'last_page'>;
}

const PER_PAGE = 25;

export function listingFor(places: Places, listing: Listing): QueryToSend {
  const { name, automatic, mayFilter, span, compares, filters, order, page, perPage = PER_PAGE } = listing;
  const search = listing.search && searchFor(name, listing.search);
  const direction = order === 'value' ? 'asc' : 'desc';
  const compare = compares === 'service' ? 'previous' : undefined;
  if (!mayFilter || isCounted(name, listing)) {
    const requested = {
      name,
      ...daysOnly(span),
      compare,
      search,
      sort_by: order,
      sort: direction,
      per_page: perPage,
      page,
    };
    return { url: urlOf(places.stats, requested) };
  }
  const { counts } = described(name);
  const body = {
    metrics: metricsOf(name, automatic?.event),
    dimensions: [name],
    filters: queryFilters(filters, name, automatic?.event),
    range: queryRange(span),
    ...(compare && { compare }),
    order_by: [[order === 'value' ? name : counts, direction]],
    ...askedPart(listing, perPage),
    ...{ unset: false, search: search ?? '' },
  };
  return { url: places.query, headers: places.headers, body };
}

/** An event has the page that sent it, so a page could have more visitors than views. */
const IS_VIEW: FilterJson = ['is', 'event', [null]];

/** A query for metrics of listed values. */
export function queryOfValues(
  { query, headers }: Places,
  { name, automatic, filters }: Listing,
  values: string[],
  range: readonly string[],
  metrics: readonly Counted[],
): QueryToSend {
  const listed: FilterJson = ['is', name, values];
  const views = described(name).counts === 'pageviews' ? [IS_VIEW] : [];
  const body = {
    metrics,
    dimensions: [name],
    filters: [...queryFilters(filters, name, automatic?.event), listed, ...views],
    range,
    per_page: MAX_ROWS,
  };
  return { url: query, headers, body };
}

/** Values of properties may be numbers, which the service orders as texts. */
const isOrderedHere = ({ name, order }: Listing) => order === 'value' && isProperty(name);

/** The page, or the part of the list with it that one answer may have. */
function askedPart(listing: Listing, perPage: number) {
  const { page } = listing;
  if (!isOrderedHere(listing)) return { page, per_page: perPage };
  return { page: Math.ceil((page * PER_PAGE) / MAX_ROWS), per_page: MAX_ROWS };
}

type Shown = Pick<Listing, 'name'> & Partial<Pick<Listing, 'page'>>;

export function listedOf({ name, page: shown = 1 }: Shown, answer: StatsAnswer | QueryAnswer): Listed {
  if (isStats(answer))
    return {
      entries: answer.data.map(({ value, count, previous_count }) => ({
        value,
        count,
        previous: previous_count,
      })),
      meta: answer.meta,
    };
  const { page: answered, per_page: rows, total } = answer.meta;
  const isBlock = rows === MAX_ROWS;
  const page = isBlock ? shown : answered;
  const before = (page - 1) * PER_PAGE;
  const all = topOfRows(name, answer).entries;
  const entries = isBlock ? partOf(all, before, total) : all;
  const [from, to] = entries.length === 0 ? [0, 0] : [before + 1, before + entries.length];
  return {
    entries,
    meta: { from, to, total, current_page: page, last_page: Math.max(1, Math.ceil(total / PER_PAGE)) },
  };
}

/** The entries of a page in a block, by their numbers if the block is the whole list. */
function partOf(block: Entry[], before: number, total: number): Entry[] {
  const ordered = total <= MAX_ROWS ? byNumber(block) : block;
  return ordered.slice(before % MAX_ROWS, (before % MAX_ROWS) + PER_PAGE);
}

export function isStats(answer: StatsAnswer | QueryAnswer): answer is StatsAnswer {
  return 'current_page' in answer.meta;
}
