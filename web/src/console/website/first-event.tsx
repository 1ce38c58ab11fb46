import { shownDomain } from '../../../../engine/ground/shown-domain';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type StatSummary, urlOf } from '../../shared/api';
import type { DropReason } from '../../shared/dropped';
import { agoText, numberText } from '../../shared/format';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { wordsOf } from '../../shared/language/value-labels';
import { API, type Website } from '../client';

const words = texts.console.snippet;
const PAUSE_MS = 2000;
/** The service forgets the address of a page that does not ask for longer. */
const HIDDEN_PAUSE_MS = 30_000;
const PATIENCE_MS = 30_000;
const JUST_NOW_S = 45;
/** The value of a country that could not be found out. */
const UNKNOWN = '(unknown)';

interface FirstVisit {
  summaries: StatSummary[];
  own_dropped: { reason: DropReason; seconds_ago: number } | null;
}

/** The last event from the reader's own address that was left out. */
interface OwnDrop {
  reason: DropReason;
  /** By the reader's clock. */
  at: number;
}

interface Props {
  website: Website;
  /** The address under which websites reach the service. */
  base: string;
  onReceived?: (() => void) | undefined;
  /** A link to the statistics. */
  children: ComponentChildren;
}

/** Tells whether a website has sent anything. While nothing arrives, what was left out and what to check. */
export function FirstEvent({ website, base, onReceived, children }: Props) {
  const { summaries = [], isThere, ownDrop } = useFirstEvent(website.id);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (isThere) onReceived?.();
  }, [isThere]);
  if (isThere === undefined) return <p class="waiting quiet">&nbsp;</p>;
  return (
    <>
      <p role="status" class={isThere ? 'received' : 'waiting quiet'}>
        {isThere ? receivedText(summaries) : words.waiting}
      </p>
      {isThere && children}
      {!isThere && <LeftOut own={ownDrop} dropped={summaries.find(isOfDropped)} />}
      {!isThere && isLate && <Checks domain={website.domain} base={base} />}
    </>
  );
}

const isOfDropped = ({ name }: StatSummary) => name === 'dropped';

function useFirstEvent(id: number) {
  const [turn, setTurn] = useState(0);
  const { data } = useAnswer<{ data: FirstVisit }>(urlOf(`${API}/first-visit`, { website: id }), turn);
  const summaries = data?.data.summaries;
  const isThere = summaries?.some((one) => one.sum > 0 && !isOfDropped(one));
  const answered = useMemo(() => ownDropIn(data?.data), [data]);
  // Of several processes of the service, only one knows it.
  const ownDrop = useRef<OwnDrop>(undefined);
  ownDrop.current = answered ?? ownDrop.current;
  useEffect(() => {
    if (isThere !== false) return;
    let askedAt = Date.now();
    const timer = setInterval(() => {
      if (document.hidden && Date.now() - askedAt < HIDDEN_PAUSE_MS) return;
      askedAt = Date.now();
      setTurn((last) => last + 1);
    }, PAUSE_MS);
    return () => clearInterval(timer);
  }, [isThere]);
  return { summaries, isThere, ownDrop: ownDrop.current };
}

function ownDropIn(visit: FirstVisit | undefined): OwnDrop | undefined {
  if (!visit?.own_dropped) return undefined;
  const { reason, seconds_ago } = visit.own_dropped;
  return { reason, at: Date.now() - seconds_ago * 1000 };
}

/** With the page and country of the only page view. Once there are more, it is unknown which came first. */
function receivedText(summaries: StatSummary[]): string {
  const only = (name: 'page' | 'country') => {
    const [entry] = summaries.find((summary) => summary.name === name)?.entries ?? [];
    if (entry?.value === UNKNOWN) return words.unknownCountry;
    return entry && wordsOf(name, entry.value);
  };
  const views = summaries.find(({ name }) => name === 'pageview')?.sum;
  const visit = views === 1 ? [only('page'), only('country')].filter(Boolean) : [];
  return visit.length === 0 ? words.receiving : words.received(visit.join(' · '));
}

/** What arrived and was not counted. Only of events from the reader's own address is the moment known. */
function LeftOut({ own, dropped }: { own: OwnDrop | undefined; dropped: StatSummary | undefined }) {
  const { reasons } = texts.dropped;
  if (own) {
    const seconds = Math.round((Date.now() - own.at) / 1000);
    const ago = seconds < JUST_NOW_S ? words.justNow : agoText(seconds);
    return (
      <p class="left-out" role="status">
        <b>{words.own(ago, reasons[own.reason])}</b> {words.advice[own.reason]}
      </p>
    );
  }
  if (!dropped?.sum) return null;
  const counts = dropped.entries.map(
    ({ value, count }) => `${reasons[value as DropReason]} (${numberText(count)})`,
  );
  return (
    <p class="left-out" role="status">
      {words.leftOut(counts.join(', '))}
    </p>
  );
}

function Checks({ domain, base }: { domain: string; base: string }) {
  return (
    <div class="checks">
      <p>{words.nothing}</p>
      <ul>
        {words.checks(shownDomain(domain), base).map((check) => (
          <li key={check}>{check}</li>
        ))}
      </ul>
    </div>
  );
}
