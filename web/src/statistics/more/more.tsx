import './more.css';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Cell } from '../../../../src/http/answers/csv';
import { go } from '../../shared/address';
import type { Compared } from '../compared';
import { type QueryAnswer, saveCsv, type StatsAnswer } from '../../shared/api';
import type { Filter } from '../filters/filters';
import { isStats, type Listed, listedOf, type Listing, listingFor } from './listing';
import { MoreTable } from './more-table';
import { described, isName, type Name } from '../../shared/names';
import { Trouble } from '../../shared/notices';
import type { Entry } from '../page-answer';
import { Pager } from '../../shared/pager';
import { queryRange, type Span, todayIn } from '../../shared/ranges';
import { Search } from '../../shared/search';
import type { Counts } from '../chart/series';
import type { Reading } from '../reading';
import { cellOf, currenciesIn, needsSums, type SumsByValue, sumsIn, sumsQuery } from '../panels/sums';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { useCountsBefore } from './use-counts-before';
import { headingOf, labelOf } from '../../shared/language/wording';

const CLOSED = { more: undefined, search: undefined, sort: undefined, at: undefined };

export function moreIn(address: URLSearchParams): Name | undefined {
  const name = address.get('more');
  return isName(name) && !described(name).isListed ? name : undefined;
}

interface Props {
  name: Name;
  address: URLSearchParams;
  span: Span;
  compared: Compared;
  filters: Filter[];
  reading: Reading;
  timezone: string;
  now: Counts;
}

/** All entries of one name, in pages. */
export function More({ name, address, span, compared, filters, reading, timezone, now }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const listing: Listing = {
    ...{ name, span, filters, mayFilter: reading.mayFilter },
    compares: comparisonOf(compared, span, timezone, reading),
    search: address.get('search') ?? undefined,
    order: address.get('sort') === 'value' ? 'value' : 'count',
    page: Math.max(1, Math.floor(Number(address.get('at'))) || 1),
  };
  const answer = useAnswer<StatsAnswer | QueryAnswer>(listingFor(reading.places, listing));
  const own = answer.data && listedOf(name, answer.data);
  const before = useCountsBefore(reading.places, listing, own, answer.data, timezone);
  const listed = own && before ? { ...own, entries: withBefore(own.entries, before) } : own;
  const sums = useSums(reading, listing, listed, answer.data);
  const download = () =>
    saveCsv(tableOf(listing, listed!.entries, sums), `${reading.domain}-${name}-${span.from}-${span.to}.csv`);
  return (
    <dialog
      ref={dialog}
      class="more"
      aria-labelledby="more-title"
      onCancel={(event) => (event.preventDefault(), go(CLOSED))}
      onClick={(event) => event.target === dialog.current && go(CLOSED)}
    >
      <div class="more-head">
        <h2 id="more-title">{headingOf(name)}</h2>
        <button class="close" onClick={() => go(CLOSED)} aria-label={texts.more.close}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="m4 4 8 8m0-8-8 8" />
          </svg>
        </button>
      </div>
      <div class="tools">
        <Search address={address} isFocused />
        <button class="plain" onClick={download} disabled={!listed?.entries.length}>
          {texts.chart.download}
        </button>
      </div>
      {answer.failure && <Trouble failure={answer.failure} retry={answer.retry} />}
      <div
        class="more-list"
        aria-busy={answer.isLoading}
        tabIndex={0}
        role="region"
        aria-labelledby="more-title"
      >
        {listed && <MoreTable {...{ listing, sums, now, reading }} entries={listed.entries} />}
      </div>
      {listed && <Pager {...listed.meta} />}
    </dialog>
  );
}

/** The previous period of days, if that is compared. Readers who may not query parts of days get none for a range that is not over. */
function comparisonOf(
  compared: Compared,
  { to, moments }: Span,
  timezone: string,
  { isOwner }: Reading,
): Listing['compares'] {
  if (compared !== 'previous' || moments) return undefined;
  if (to < todayIn(timezone)) return 'whole';
  return isOwner ? 'part' : undefined;
}

function withBefore(entries: Entry[], before: Map<string, number>): Entry[] {
  return entries.map((entry) => ({ ...entry, previous: before.get(entry.value) ?? 0 }));
}

/** The sums for the list, if it has some and the reader may see them. */
function useSums(
  { isOwner, places }: Reading,
  { name, filters, span }: Listing,
  listed: Listed | undefined,
  answer: StatsAnswer | QueryAnswer | undefined,
): SumsByValue {
  const values = isOwner && needsSums(name) ? (listed?.entries.map(({ value }) => value) ?? []) : [];
  const body = sumsQuery(name, filters, queryRange(span), values);
  const own = useAnswer<QueryAnswer>(
    values.length > 0 ? { url: places.query, headers: places.headers, body } : undefined,
  );
  return sumsIn(
    name,
    [values.length > 0 ? own.data : answer].flatMap((one) => (!one || isStats(one) ? [] : [one])),
  );
}

function tableOf({ name }: Listing, entries: Entry[], sums: SumsByValue): Cell[][] {
  const currencies = currenciesIn(entries.map(({ value }) => sums.get(value)));
  const compares = entries.every(({ previous }) => previous !== undefined);
  const columns = [
    ...['value', 'label', 'count'],
    ...(compares ? ['previous_count'] : []),
    ...currencies.map((currency) => `value_${currency}`),
  ];
  const rows = entries.map(({ value, count, previous }) => [
    ...[value, labelOf(name, value), count],
    ...(compares ? [previous!] : []),
    ...currencies.map((currency) => cellOf(sums.get(value), currency)),
  ]);
  return [columns, ...rows];
}
