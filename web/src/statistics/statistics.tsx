import type { ComponentChildren } from 'preact';
import { useAddress } from '../shared/address';
import { Chart } from './chart/chart';
import type { Comparison } from './comparison';
import { FiguresRow } from './chart/figures-row';
import { FilterBar } from './filters/filter-bar';
import { type Filter, filtersIn } from './filters/filters';
import { comparedText, spanText } from '../shared/format';
import { Footer } from './footer';
import icon from '../shared/icon.svg';
import { More, moreIn } from './more/more';
import { NoVisits, Trouble, Warnings } from '../shared/notices';
import type { PageAnswer } from './page-answer';
import { PanelColumns } from './panels/panel-columns';
import { RangePicker } from './range-picker';
import { type Bounds, boundsFor, rangeIn, type RangeName, type Span, todayIn } from '../shared/ranges';
import { withOpen } from './chart/series';
import type { Reading } from './reading';
import { texts } from '../shared/texts';
import { useIsNew, usePage } from './use-page';
import { useEffect, useState } from 'preact/hooks';

interface Props {
  reading: Reading;
  timezone: string;
  isEmbedded: boolean;
  attributesGeography: boolean;
  /** Replaces all numbers until the first event. */
  setup?: ComponentChildren;
}

/** The statistics of one website for any reader: the service decides what the reader may query. */
export function Statistics({ reading, timezone, isEmbedded, attributesGeography, setup }: Props) {
  const address = useAddress();
  const bounds = boundsFor(reading, todayIn(timezone));
  const range = rangeIn(address, bounds);
  const filters = reading.mayFilter ? filtersIn(address) : [];
  const chosen = { range, bounds, filters, address, timezone };
  const { span, answer, comparison, isLoading, isEmpty, trouble } = usePage(reading, chosen);
  const isNew = useIsNew(reading.places, timezone, setup !== undefined && isEmpty && filters.length === 0);
  const more = moreIn(address);
  return (
    <>
      <main aria-busy={isLoading} class={isLoading && answer.span ? 'older' : ''}>
        <Head {...{ reading, range, bounds, filters, isNew }} span={span} shown={answer.span ?? span} />
        {trouble && <Trouble failure={trouble.failure!} retry={trouble.retry} />}
        <Warnings warnings={answer.warnings} />
        {isNew ? (
          setup
        ) : (
          <Numbers
            {...{ address, range, reading, filters, answer, comparison, timezone, isLoading }}
            isEmpty={isEmpty && isNew !== undefined}
            hasFailed={trouble !== undefined}
          />
        )}
      </main>
      <Footer
        address={address}
        ranges={bounds.ranges}
        timezone={timezone}
        isEmbedded={isEmbedded}
        attributesGeography={attributesGeography}
      />
      {more && span && (
        <More
          key={more}
          name={more}
          {...{ address, span, range, reading, filters, timezone }}
          now={answer.now}
        />
      )}
      <Loading is={isLoading} />
    </>
  );
}

interface HeadProps {
  reading: Reading;
  range: RangeName;
  bounds: Bounds;
  span: Span | undefined;
  /** The span of the shown data, which may belong to an older address. */
  shown: Span | undefined;
  filters: Filter[];
  isNew: boolean | undefined;
}

function Head({ reading, range, bounds, span, shown, filters, isNew }: HeadProps) {
  return (
    <>
      <header class="top">
        <div class="who">
          <img src={icon} alt="" width="40" height="40" />
          <div>
            <h1>{reading.domain}</h1>
            <p class="quiet">{shown && !isNew ? spanText(shown.from, shown.to) : '\u00a0'}</p>
          </div>
        </div>
        {!isNew && <RangePicker {...{ range, span, bounds }} />}
      </header>
      {!isNew && reading.mayFilter && <FilterBar filters={filters} reading={reading} />}
      {!reading.mayFilter && <p class="small-numbers quiet">{texts.smallNumbers}</p>}
    </>
  );
}

interface NumbersProps {
  address: URLSearchParams;
  range: RangeName;
  reading: Reading;
  filters: Filter[];
  answer: PageAnswer;
  comparison: Comparison | undefined;
  timezone: string;
  isLoading: boolean;
  isEmpty: boolean;
  hasFailed: boolean;
}

function Numbers({
  address,
  range,
  reading,
  filters,
  answer,
  comparison,
  timezone,
  isLoading,
  isEmpty,
  hasFailed,
}: NumbersProps) {
  const { now, buckets, unit, span } = answer;
  return (
    <>
      <section class="card" aria-label={texts.figures.label}>
        <FiguresRow {...{ address, now, comparison, timezone, isLoading, reading }} />
        <Chart
          {...{ address, reading, unit, span }}
          buckets={buckets && withOpen(buckets, todayIn(timezone))}
          compared={comparison && comparedText(comparison, timezone)}
        />
      </section>
      {isEmpty ? (
        <NoVisits isAll={range === 'all'} filters={filters} />
      ) : (
        <PanelColumns {...{ address, reading, filters, answer, span, hasFailed }} />
      )}
    </>
  );
}

const SLOW_MS = 3000;

/** Announces loading to readers who do not see the placeholders. */
function Loading({ is }: { is: boolean }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!is) return;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, [is]);
  return (
    <p role="status" class="hidden">
      {is ? (isSlow ? texts.slow : texts.loading) : ''}
    </p>
  );
}
