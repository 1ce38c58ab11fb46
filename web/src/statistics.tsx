import { useAddress } from './address';
import { type StatName, type StatSummary, type StatsAnswer, type SummaryAnswer, urlOf } from './api';
import { Chart } from './chart';
import { Figures, METRICS, metricIn } from './figures';
import { spanText } from './format';
import { Footer } from './footer';
import icon from './icon.svg';
import { More, moreIn } from './more';
import { NoVisits, Trouble } from './notices';
import { Panel, PANELS, tabIn } from './panel';
import { RangePicker } from './range-picker';
import { daysIn, FIRST_DAY, rangeIn, type RangeName, type Span, spanOf, todayIn } from './ranges';
import { texts } from './texts';
import { type Answer, useAnswer } from './use-answer';

export interface Questions {
  stats: string;
  summary: string;
}

interface Props {
  domain: string;
  timezone: string;
  /** Where the questions about this website are answered. */
  questions: Questions;
  isEmbedded: boolean;
  attributesGeography: boolean;
}

/** The service adds days without visits to ranges of up to so many. */
const MAX_FILLED_DAYS = 3660;

/** The statistics of one website, whoever reads them: what may be asked is decided where the questions are answered. */
export function Statistics({ domain, timezone, questions, isEmbedded, attributesGeography }: Props) {
  const address = useAddress();
  const range = rangeIn(address);
  const { span, first } = useSpan(questions, range, timezone, address);
  const names = [...METRICS, ...PANELS.map((panel) => tabIn(address, panel))];
  const answer = useAnswer<SummaryAnswer>(span && urlOf(questions.summary, questionOf(names, range, span)));
  const trouble = answer.failure ? answer : first.failure ? first : undefined;
  const more = moreIn(address);
  const shown = answer.data?.meta.range ?? span;
  return (
    <>
      <main aria-busy={answer.isLoading} class={answer.isLoading && answer.data ? 'older' : ''}>
        <header class="top">
          <div class="who">
            <img src={icon} alt="" width="40" height="40" />
            <div>
              <h1>{domain}</h1>
              <p class="quiet">{shown ? spanText(shown.from, shown.to) : '\u00a0'}</p>
            </div>
          </div>
          <RangePicker range={range} span={span} />
        </header>
        {trouble && <Trouble failure={trouble.failure!} retry={trouble.retry} />}
        <Numbers {...{ address, range, domain, answer }} span={shown} hasFailed={trouble !== undefined} />
      </main>
      <Footer timezone={timezone} isEmbedded={isEmbedded} attributesGeography={attributesGeography} />
      {more && span && <More key={more} name={more} {...{ address, span, range, questions, domain }} />}
      <Loading is={answer.isLoading} />
    </>
  );
}

/** For those who do not see it. */
function Loading({ is }: { is: boolean }) {
  return (
    <p role="status" class="hidden">
      {is ? texts.loading : ''}
    </p>
  );
}

interface NumbersProps {
  address: URLSearchParams;
  range: RangeName;
  domain: string;
  answer: Answer<SummaryAnswer>;
  span: Span | undefined;
  hasFailed: boolean;
}

function Numbers({ address, range, domain, answer, span, hasFailed }: NumbersProps) {
  const byName = new Map(answer.data?.data.map((summary) => [summary.name, summary]));
  const isEmpty = ([...METRICS, 'event'] as const).every((name) => byName.get(name)?.sum === 0);
  return (
    <>
      <section class="card" aria-label={texts.figures.label}>
        <Figures address={address} byName={byName} hasComparison={range !== 'all'} />
        <Chart
          address={address}
          summaries={METRICS.map((metric) => byName.get(metric))}
          metric={metricIn(address)}
          span={span}
        />
      </section>
      {isEmpty && !answer.isLoading && <NoVisits isAll={range === 'all'} />}
      <div class="panels">
        {PANELS.map((panel) => {
          const name = tabIn(address, panel);
          return <Panel key={panel.id} {...{ panel, name, hasFailed, domain }} summary={byName.get(name)} />;
        })}
      </div>
    </>
  );
}

/** All days begin with the first on which anybody came, which has to be asked. */
function useSpan(questions: Questions, range: RangeName, timezone: string, address: URLSearchParams) {
  const today = todayIn(timezone);
  const named = spanOf(range, today, address);
  const question = { name: 'visitor', from: FIRST_DAY, to: today, sort_by: 'value', sort: 'asc' };
  const first = useAnswer<StatsAnswer>(named ? undefined : urlOf(questions.stats, question));
  const all =
    first.data && !first.isLoading ? { from: first.data.data[0]?.value ?? today, to: today } : undefined;
  return { span: named ?? all, first };
}

function questionOf(names: StatName[], range: RangeName, span: Span) {
  return {
    names: [...new Set(names)].join(','),
    ...span,
    compare: range === 'all' ? undefined : 'previous',
    fill: daysIn(span) <= MAX_FILLED_DAYS ? 1 : undefined,
  };
}

export type Summaries = Map<StatName, StatSummary>;
