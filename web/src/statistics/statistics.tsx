import type { ComponentChildren } from 'preact';
import { ENOUGH_VISITORS } from '../../../engine/hits/rules/hidden-days';
import { ofWebsite } from '../console/only';
import { linkTo, useAddress } from '../shared/address';
import { Bar, type Websites } from './bar/bar';
import { Chart } from './chart/chart';
import { DroppedEvents } from '../shared/dropped';
import { comparedIn } from './range-to-compare';
import type { Comparison } from './comparison';
import { FiguresRow } from './chart/figures-row';
import { type Filter, filtersIn, leavesFiltersOut } from './filters/filters';
import { shortComparedText, shortSpanText } from '../shared/format';
import { Footer } from './footer';
import { More } from './more/more';
import { moreIn } from './more/open-list';
import { NoVisits, Since, Trouble, Warnings } from '../shared/notices';
import type { PageAnswer } from './page-answer';
import { PanelColumns } from './panels/panel-columns';
import type { AutomaticList } from './panels/automatic/automatic-events';
import { boundsFor, plusDays, type RangeName, type Span, todayIn } from '../shared/ranges';
import { marked } from './chart/series';
import type { Reading } from './reading';
import { texts } from '../shared/texts';
import { chosenRange, useIsNew, usePage } from './use-page';
import { later } from '../shared/later';
import { Near } from '../shared/near';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Goals need a script and dear requests of their own, which begin once the page has its figures. */
const Goals = later(async () => (await import('../goals/section')).GoalsSection);

interface Props {
  reading: Reading;
  timezone: string;
  isEmbedded: boolean;
  attributesGeography: boolean;
  /** Replaces all numbers until the first event. */
  setup?: ComponentChildren;
  websites?: Websites;
}

/** The statistics of one website for any reader: the service decides what the reader may query. */
export function Statistics(props: Props) {
  const { reading, timezone, isEmbedded, attributesGeography, setup, websites } = props;
  const address = useAddress();
  const bounds = boundsFor(reading, timezone);
  const range = chosenRange(reading, address, bounds);
  const filters = reading.mayFilter ? filtersIn(address) : [];
  const chosen = { range, bounds, filters, address, timezone };
  const page = usePage(reading, chosen);
  const {
    span,
    back,
    answer,
    automatic,
    comparison,
    comparedSince,
    isComparable,
    earlier,
    isLoading,
    areFiguresLoading,
    isEmpty,
    trouble,
  } = page;
  const isNew = useIsNew(reading.places, timezone, setup !== undefined && isEmpty && filters.length === 0);
  const compared = comparedIn(address, range, span);
  const more = moreIn(address, reading);
  return (
    <>
      <main aria-busy={isLoading || isNew === undefined} class={page.isOlder ? 'older' : ''}>
        <Bar {...{ address, reading, range, bounds, span, compared, filters, websites, isNew }} />
        {trouble && <Trouble failure={trouble.failure!} retry={trouble.retry} />}
        <Warnings warnings={answer.warnings} />
        {isNew ? (
          setup
        ) : (
          <>
            <AsOwner {...reading} />
            <LeftOut {...{ address, range, reading }} hasFailed={trouble !== undefined} />
            <Numbers
              {...{ address, range, span, reading, filters, answer, automatic, back, comparison, earlier }}
              {...{ comparedSince, isComparable, timezone, isLoading, areFiguresLoading }}
              isEmpty={isEmpty && isNew !== undefined}
              hasFailed={trouble !== undefined}
            />
          </>
        )}
      </main>
      <Footer {...{ address, bounds, timezone, isEmbedded, attributesGeography }} />
      {more && span && (
        <More
          key={more.id}
          list={more}
          {...{ address, span, compared, reading, filters, timezone }}
          first={answer.first}
          now={answer.now}
        />
      )}
      <Loading is={isLoading} />
    </>
  );
}

/** Tells owners who look at the shared page that it is not what others see there. */
function AsOwner({ isOwner, own }: Pick<Reading, 'isOwner' | 'own'>) {
  return isOwner && !own ? <p class="notice">{texts.asOwner}</p> : null;
}

type LeftOutProps = Pick<NumbersProps, 'address' | 'range' | 'reading' | 'hasFailed'>;

/** What an address requests in vain. */
function LeftOut({ address, range, reading, hasFailed }: LeftOutProps) {
  const isRange = address.has('range') && address.get('range') !== range;
  const isFilter = reading.mayFilter ? leavesFiltersOut(address) : address.has('f');
  if (hasFailed || (!isRange && !isFilter)) return null;
  return (
    <ul class="notice warnings">
      {isRange && <li>{reading.mayFilter ? texts.leftOut.range : texts.leftOut.pastRange}</li>}
      {isFilter && <li>{texts.leftOut.filter}</li>}
    </ul>
  );
}

interface NumbersProps {
  address: URLSearchParams;
  range: RangeName;
  /** The span of the address; the answer may still belong to an older one. */
  span: Span | undefined;
  reading: Reading;
  filters: Filter[];
  answer: PageAnswer;
  automatic: AutomaticList[];
  back: number | undefined;
  comparison: Comparison | undefined;
  comparedSince: string | undefined;
  isComparable: boolean;
  earlier: readonly string[] | undefined;
  timezone: string;
  isLoading: boolean;
  areFiguresLoading: boolean;
  isEmpty: boolean;
  hasFailed: boolean;
}

/** What the last answers are about. */
interface Settled extends Pick<NumbersProps, 'filters' | 'earlier' | 'isComparable'> {
  span: Span;
  first: string | undefined;
}

function Numbers(props: NumbersProps) {
  const {
    address,
    range,
    span,
    reading,
    filters,
    answer,
    automatic,
    back,
    comparison,
    comparedSince,
    isComparable,
    timezone,
    isLoading,
    isEmpty,
    hasFailed,
  } = props;
  const { now, buckets, unit } = answer;
  const { mayFilter } = reading;
  const noVisits = isEmpty && (
    <NoVisits isAll={range === 'all'} {...{ span, mayFilter, timezone, filters }} />
  );
  const excluded = reading.own && <ExcludedBy excluded={answer.excluded} />;
  if (noVisits && filters.length > 0)
    return (
      <>
        {noVisits}
        {excluded}
      </>
    );
  return (
    <>
      <Details isKnown={!isLoading} {...{ isEmpty, answer, timezone }} />
      <section class="card" aria-label={texts.figures.label}>
        <FiguresRow {...{ address, now, comparison, comparedSince, isComparable, timezone, isLoading }} />
        <FiguresSince {...answer} />
        <Chart
          {...{ address, reading, unit, back, timezone, isLoading }}
          span={answer.span ?? span}
          buckets={buckets && marked(buckets, unit, todayIn(timezone))}
          compared={comparison && shortComparedText(comparison, timezone)}
        />
        {excluded}
      </section>
      {noVisits || (
        <PanelColumns {...{ address, reading, filters, answer, automatic, hasFailed }} span={answer.span} />
      )}
      {mayFilter && !isEmpty && <SettledGoals {...props} />}
      <LeftOutEvents {...{ reading, span, filters }} />
      {!mayFilter && <p class="small-numbers quiet">{texts.smallNumbers}</p>}
    </>
  );
}

/** Names the exclusions that concern the numbers. */
function ExcludedBy({ excluded }: Pick<PageAnswer, 'excluded'>) {
  if (excluded.length === 0) return null;
  return (
    <p class="excluded-by quiet">
      {texts.excluded.by}{' '}
      {excluded.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <bdi>{name}</bdi>
        </span>
      ))}
      {'. '}
      <a {...linkTo({ ...ofWebsite('options'), section: 'exclusions' })}>{texts.excluded.show}</a>
    </p>
  );
}

function FiguresSince({ since, span }: Pick<PageAnswer, 'since' | 'span'>) {
  if (since === undefined || !span) return null;
  return <Since day={since} span={span} text={texts.coverage.figures} />;
}

type LeftOutEventsProps = Pick<NumbersProps, 'reading' | 'span' | 'filters'>;

/** They have no values that filters could select. */
function LeftOutEvents({ reading: { own, places }, span, filters }: LeftOutEventsProps) {
  if (!own || !places.dropped || !span || filters.length > 0) return null;
  return (
    <Near kind="dropped-place" isNeeded={false}>
      <DroppedEvents
        url={places.dropped}
        websiteId={own.websiteId}
        span={span}
        title={texts.dropped.inRange}
      />
    </Near>
  );
}

interface DetailsProps extends Pick<NumbersProps, 'answer' | 'isEmpty' | 'timezone'> {
  isKnown: boolean;
}

/** Tells whether so few visitors have come that no day has details. Other days could have some, unless the range has all. */
function hasTooFew({ now, first, span }: PageAnswer, timezone: string): boolean {
  const yesterday = plusDays(todayIn(timezone), -1);
  const hasAll = span && first && span.from <= first && span.to >= yesterday;
  return hasAll === true && now.visitors! < ENOUGH_VISITORS;
}

/** Leads to the longest part of the range that hides nothing from its reader, or else to the smallest range around it. */
function Details({ answer, isKnown, isEmpty, timezone }: DetailsProps) {
  const { detailed, span } = answer;
  if (!isKnown || isEmpty || detailed === undefined || !span) return null;
  const { later, hidden } = texts.details;
  if (detailed === null) return <p class="notice">{hasTooFew(answer, timezone) ? later : hidden}</p>;
  const { from, to } = detailed;
  if (from === span.from && to === span.to) return null;
  return (
    <p class="notice">
      {texts.details.cut}{' '}
      <a {...linkTo({ range: 'custom', from, to, by: undefined, at: undefined })}>
        {texts.details.show(shortSpanText(detailed, todayIn(timezone)))}
      </a>
    </p>
  );
}

/** In addresses that show something of them. */
const OF_GOALS = ['goals', 'funnel', 'journey'];

/** Goals of what the figures are about, which say what is compared. */
function SettledGoals(props: NumbersProps) {
  const { address, reading, span, filters, earlier, isComparable, areFiguresLoading, hasFailed } = props;
  const { first } = props.answer;
  const settled = useRef<Settled | undefined>(undefined);
  if (!areFiguresLoading && !hasFailed && span)
    settled.current = { span, first, filters, earlier, isComparable };
  if (hasFailed || !settled.current) return null;
  const areNeeded = OF_GOALS.some((name) => address.has(name)) || address.get('more') === 'goal';
  return (
    <Near kind={reading.own ? 'goals-place' : ''} isNeeded={areNeeded}>
      <Goals {...{ address, reading }} {...settled.current} />
    </Near>
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
