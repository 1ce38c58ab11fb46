import type { StoredFilters } from '../../../../goals/definitions';
import { words } from '../../../../goals/words';
import type { QueriesAnswer, QueryToSend } from '../../../../shared/api';
import { numberText, shortSpanText } from '../../../../shared/format';
import type { Span } from '../../../../shared/ranges';
import { useAnswer } from '../../../../shared/use-answer';
import { sinceIn } from '../../../../statistics/coverage';
import type { Places } from '../../../../statistics/page-answer';
import { useFirstDay } from '../../../../statistics/use-page';

interface Props {
  places: Places;
  today: string;
  /** Undefined if nothing is excluded yet. */
  filters: StoredFilters | undefined;
  from: string;
  to: string;
  /** Tells whether the answers are already without what a stored exclusion leaves out. */
  isFurther: boolean;
}

/** How many visitors an exclusion would leave out. */
export function Preview({ places, today, filters, from, to, isFurther }: Props) {
  const first = useFirstDay(places, { lastDay: today }).day;
  const span = first === undefined ? undefined : { from: from || first, to: to || today };
  const { data, isLoading, failure } = useAnswer<QueriesAnswer>(
    filters && span && toSend(places, filters, span),
  );
  const counts = filters && span && data && !failure ? countsIn(data, span, first) : undefined;
  const text = isFurther ? words.exclusions.further : words.exclusions.preview;
  return (
    <p class="quiet" role="status" aria-busy={isLoading}>
      {counts && text(numberText(counts.count), numberText(counts.total), shortSpanText(counts.span, today))}
    </p>
  );
}

/** All visitors, and those who stay. Nothing if there is no such day. */
function toSend(places: Places, filters: StoredFilters, span: Span): QueryToSend | undefined {
  const whole = { metrics: ['visitors'], range: [span.from, span.to] };
  const queries = [whole, { ...whole, filters: [['not', ['and', filters]]] }];
  return span.from > span.to ? undefined : { url: places.query, headers: places.headers, body: { queries } };
}

/** The days begin with the first one whose hits are kept. */
function countsIn({ data }: QueriesAnswer, span: Span, first: string | undefined) {
  const [all, others] = data.map((answer) => answer.data[0]?.visitors ?? 0);
  const from = sinceIn(data[0]!, span, first) ?? span.from;
  return { total: all!, count: all! - others!, span: { ...span, from } };
}
