import { useEffect, useState } from 'preact/hooks';
import { useAddress } from './address';
import { type QuestionsAnswer, type StatsAnswer, type SummaryAnswer, urlOf } from './api';
import { Chart } from './chart';
import { FiguresRow } from './figures-row';
import { FilterBar } from './filter-bar';
import { filtersIn } from './filters';
import { spanText } from './format';
import { Footer } from './footer';
import icon from './icon.svg';
import { More, moreIn } from './more';
import { NoVisits, Trouble, Warnings } from './notices';
import { type PageAnswer, pageAnswer, type Places, questionsFor, summaryFor, type View } from './page-answer';
import { Panel } from './panel';
import { nameIn, panelsFor } from './panels';
import { RangePicker } from './range-picker';
import { daysIn, FIRST_DAY, rangeIn, type RangeName, spanOf, todayIn, unitIn } from './ranges';
import { texts } from './texts';
import { useAnswer } from './use-answer';

export interface Reading {
  domain: string;
  places: Places;
  /** Whether more than three names may be combined. */
  isOwner: boolean;
  /** Whether what live visitors do is told, beside their number. */
  isLiveWhole: boolean;
}

interface Props {
  reading: Reading;
  timezone: string;
  isEmbedded: boolean;
  attributesGeography: boolean;
}

/** The statistics of one website, whoever reads them: what may be asked is decided where the questions are answered. */
export function Statistics({ reading, timezone, isEmbedded, attributesGeography }: Props) {
  const address = useAddress();
  const range = rangeIn(address);
  const filters = filtersIn(address);
  const { span, first } = useSpan(reading.places, range, timezone, address);
  const view = span && viewOf(address, range, span, reading);
  const { answer, isLoading, failed } = usePage(reading.places, view);
  const trouble = failed ?? (first.failure ? first : undefined);
  const more = moreIn(address);
  const shown = answer.span ?? span;
  return (
    <>
      <main aria-busy={isLoading} class={isLoading && answer.span ? 'older' : ''}>
        <header class="top">
          <div class="who">
            <img src={icon} alt="" width="40" height="40" />
            <div>
              <h1>{reading.domain}</h1>
              <p class="quiet">{shown ? spanText(shown.from, shown.to) : '\u00a0'}</p>
            </div>
          </div>
          <RangePicker range={range} span={span} />
        </header>
        <FilterBar filters={filters} reading={reading} />
        {trouble && <Trouble failure={trouble.failure!} retry={trouble.retry} />}
        <Warnings warnings={answer.warnings} />
        <Numbers
          {...{ address, range, reading, filters, answer, isLoading }}
          hasFailed={trouble !== undefined}
        />
      </main>
      <Footer
        address={address}
        timezone={timezone}
        isEmbedded={isEmbedded}
        attributesGeography={attributesGeography}
      />
      {more && span && (
        <More key={more} name={more} {...{ address, span, range, reading, filters }} now={answer.now} />
      )}
      <Loading is={isLoading} />
    </>
  );
}

const SLOW_MS = 3000;

/** For those who do not see it; what takes long is told to all. */
function Loading({ is }: { is: boolean }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!is) return;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, [is]);
  const tellsAll = is && isSlow;
  return (
    <>
      <p role="status" class="hidden">
        {is ? (tellsAll ? texts.slow : texts.loading) : ''}
      </p>
      {tellsAll && (
        <p class="slow" aria-hidden="true">
          {texts.slow}
        </p>
      )}
    </>
  );
}

interface NumbersProps {
  address: URLSearchParams;
  range: RangeName;
  reading: Reading;
  filters: ReturnType<typeof filtersIn>;
  answer: PageAnswer;
  isLoading: boolean;
  hasFailed: boolean;
}

function Numbers({ address, range, reading, filters, answer, isLoading, hasFailed }: NumbersProps) {
  const { now, before, tops } = answer;
  const isEmpty = now.visitors === 0 && now.pageviews === 0 && !now.events;
  return (
    <>
      <section class="card" aria-label={texts.figures.label}>
        <FiguresRow {...{ address, now, isLoading, reading }} before={range === 'all' ? undefined : before} />
        <Chart address={address} buckets={answer.buckets} unit={answer.unit} span={answer.span} />
      </section>
      {isEmpty && !isLoading && <NoVisits isAll={range === 'all'} filters={filters} />}
      <div class="panels">
        {panelsFor(reading).map((panel) => {
          const name = nameIn(address, panel);
          return (
            <Panel key={panel.id} {...{ panel, name, hasFailed, reading, filters, now }} top={tops[name]} />
          );
        })}
      </div>
    </>
  );
}

function viewOf(address: URLSearchParams, range: RangeName, span: View['span'], reading: Reading): View {
  return {
    span,
    unit: unitIn(address, span),
    compares: range !== 'all',
    filters: filtersIn(address),
    isOwner: reading.isOwner,
    names: panelsFor(reading).map((panel) => nameIn(address, panel)),
  };
}

const NOTHING: PageAnswer = {
  ...{ now: {}, before: {}, tops: {}, warnings: [] },
  ...{ buckets: undefined, unit: 'day', span: undefined },
};

/** Asks counters and hits at once, and shows what is there. */
function usePage(places: Places, view: View | undefined) {
  const summary = useAnswer<SummaryAnswer>(view && summaryFor(places, view, daysIn(view.span)));
  const questions = useAnswer<QuestionsAnswer>(view && questionsFor(places, view));
  const isCounted = view?.filters.length === 0;
  const answer = view ? pageAnswer(view, isCounted ? summary.data : undefined, questions.data) : NOTHING;
  return {
    answer,
    isLoading: summary.isLoading || questions.isLoading,
    failed: [summary, questions].find(({ failure }) => failure !== undefined),
  };
}

/** All days begin with the first on which anybody came, which has to be asked. */
function useSpan({ stats }: Places, range: RangeName, timezone: string, address: URLSearchParams) {
  const today = todayIn(timezone);
  const named = spanOf(range, today, address);
  const question = { name: 'visitor', from: FIRST_DAY, to: today, sort_by: 'value', sort: 'asc' };
  const first = useAnswer<StatsAnswer>(named ? undefined : urlOf(stats, question));
  const all =
    first.data && !first.isLoading ? { from: first.data.data[0]?.value ?? today, to: today } : undefined;
  return { span: named ?? all, first };
}
