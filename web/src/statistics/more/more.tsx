import type { Cell } from '../../../../engine/hits/files/csv';
import { go } from '../../shared/address';
import { type Compared, daysBack, hasSameWeekdays } from '../range-to-compare';
import { type QueryAnswer, saveCsv, type StatsAnswer } from '../../shared/api';
import { sinceIn } from '../coverage';
import type { Filter } from '../filters/filters';
import { type Details, figuresBeside, useDetails } from './details';
import { isStats, type Listed, listedOf, type Listing, listingFor } from './listing';
import { ListDialog } from './list-dialog';
import { MoreTable } from './more-table';
import type { OpenList } from './open-list';
import { isMerged } from '../../shared/names';
import { Since, Trouble } from '../../shared/notices';
import type { Entry } from '../page-answer';
import { pageIn, Pager } from '../../shared/controls/pager';
import { queryRange, shifted, type Span, todayIn } from '../../shared/ranges';
import { FIGURES, type FigureName } from '../chart/figures';
import type { Counts } from '../chart/series';
import type { Reading } from '../reading';
import { cellOf, currenciesIn, needsSums, type SumsByValue, sumsIn, sumsQuery } from '../panels/sums';
import { useAnswer } from '../../shared/use-answer';
import { useCountsBefore } from './use-counts-before';
import { labelOf } from '../../shared/language/value-labels';

const CLOSED = { more: undefined, search: undefined, sort: undefined, at: undefined };

interface Props {
  list: OpenList;
  address: URLSearchParams;
  span: Span;
  compared: Compared;
  /** The first day with visitors. */
  first: string | undefined;
  filters: Filter[];
  reading: Reading;
  timezone: string;
  now: Counts;
}

/** All entries of one name, in pages. */
export function More(props: Props) {
  const { list, address, span, compared, first, reading, now } = props;
  const { id, heading } = list;
  const back = daysBack(compared, span, address);
  const listing = listingIn(props, back);
  const { answer, since, listed } = useListed(props, listing, back);
  const sums = useSums(reading, listing, listed, answer.data, first);
  const figures = figuresBeside(listing.name, reading);
  const details = useDetails(reading, listing, figures, listed, first);
  const download = () =>
    saveCsv(
      tableOf(listing, listed!.entries, sums, figures, details),
      `${reading.domain}-${id}-${span.from}-${span.to}.csv`,
    );
  return (
    <ListDialog
      {...{ heading, address }}
      kind="more-list"
      isLoading={answer.isLoading}
      hasRows={
        listed !== undefined && listed.entries.length > 0 && (figures.length === 0 || details !== undefined)
      }
      onDownload={download}
      onClosed={() => go(CLOSED)}
      notice={answer.failure && <Trouble failure={answer.failure} retry={answer.retry} />}
      foot={listed && <Pager {...listed.meta} />}
    >
      {since !== undefined && <Since day={since} span={span} />}
      {listed && (
        <MoreTable
          {...{ listing, heading, sums, figures, details, now, reading }}
          isComparable={back === undefined || hasSameWeekdays(span, back)}
          entries={listed.entries}
        />
      )}
    </ListDialog>
  );
}

/** Nothing is compared with days before the first one with visitors. */
function listingIn({ list, address, span, first, ...props }: Props, back = 0): Listing {
  const { compared, filters, reading, timezone } = props;
  const { name, automatic } = list;
  const isBegun = first !== undefined && shifted(span, -back).from >= first;
  return {
    ...{ name, automatic, span, filters, mayFilter: reading.mayFilter },
    compares: isBegun ? comparisonOf(compared, span, timezone, reading) : undefined,
    search: address.get('search') ?? undefined,
    order: address.get('sort') === 'value' ? 'value' : 'count',
    page: pageIn(address),
  };
}

/** The entries with what they are compared with, or since when their numbers are complete. */
function useListed({ reading, span, first, timezone }: Props, listing: Listing, back: number | undefined) {
  const answer = useAnswer<StatsAnswer | QueryAnswer>(listingFor(reading.places, listing));
  const sinceOf = (range: Span) => answer.data && sinceIn(answer.data, range, first);
  const since = sinceOf(span);
  const own = answer.data && since === undefined ? listedOf(listing, answer.data) : undefined;
  const counted = useCountsBefore(reading.places, listing, own, answer.data, back, timezone);
  if (sinceOf(shifted(span, -(back ?? 0))) !== undefined)
    return { answer, since, listed: own && withBefore(own, () => undefined) };
  return {
    answer,
    since,
    listed: own && counted ? withBefore(own, (value) => counted.get(value) ?? 0) : own,
  };
}

/** Some readers may not query parts of days, or values. */
function comparisonOf(
  compared: Compared,
  { to, moments }: Span,
  timezone: string,
  { isOwner, mayFilter }: Reading,
): Listing['compares'] {
  if (compared === 'off') return undefined;
  const isOver = !moments && to < todayIn(timezone);
  if (isOver && compared === 'previous') return 'service';
  return isOwner || (isOver && mayFilter) ? 'values' : undefined;
}

function withBefore({ entries, meta }: Listed, before: (value: string) => number | undefined): Listed {
  const previousOf = (value: string) => (isMerged(value) ? undefined : before(value));
  return { entries: entries.map((entry) => ({ ...entry, previous: previousOf(entry.value) })), meta };
}

/** The sums for the list, if it has some and the reader may see them. */
function useSums(
  { isOwner, places }: Reading,
  { name, automatic, filters, span }: Listing,
  listed: Listed | undefined,
  answer: StatsAnswer | QueryAnswer | undefined,
  first: string | undefined,
): SumsByValue {
  const values =
    isOwner && !automatic && needsSums(name) ? (listed?.entries.map(({ value }) => value) ?? []) : [];
  const body = sumsQuery(name, filters, queryRange(span), values);
  const own = useAnswer<QueryAnswer>(
    values.length > 0 ? { url: places.query, headers: places.headers, body } : undefined,
  );
  return sumsIn(
    name,
    [values.length > 0 ? own.data : answer].flatMap((one) =>
      !one || isStats(one) || sinceIn(one, span, first) !== undefined ? [] : [one],
    ),
  );
}

function tableOf(
  { name }: Listing,
  entries: Entry[],
  sums: SumsByValue,
  figures: readonly FigureName[],
  details: Details | undefined,
): Cell[][] {
  const currencies = currenciesIn(entries.map(({ value }) => sums.get(value)));
  const compares = entries.some(({ previous }) => previous !== undefined);
  const columns = [
    ...['value', 'label', 'count', ...figures],
    ...(compares ? ['previous_count'] : []),
    ...currencies.map((currency) => `value_${currency}`),
  ];
  const cells = (value: string) => figures.map((figure) => figureCell(figure, details?.get(value)));
  const rows = entries.map(({ value, count, previous = null }) => [
    ...[value, labelOf(name, value), count, ...cells(value)],
    ...(compares ? [previous] : []),
    ...currencies.map((currency) => cellOf(sums.get(value), currency)),
  ]);
  return [columns, ...rows];
}

/** With as many places as the API has. */
function figureCell(figure: FigureName, counts: Counts = {}): Cell {
  const value = FIGURES[figure].of(counts);
  return value === undefined ? null : Math.round(10_000 * value) / 10_000;
}
