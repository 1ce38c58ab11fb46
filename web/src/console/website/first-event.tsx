import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type StatSummary, urlOf } from '../../shared/api';
import type { Places } from '../../statistics/page-answer';
import { FIRST_DAY, todayIn } from '../../shared/ranges';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { wordsOf } from '../../shared/language/wording';

const words = texts.console.snippet;
const PAUSE_MS = 2000;
const PATIENCE_MS = 30_000;
/** The value of a country that could not be found out. */
const UNKNOWN = '(unknown)';

interface Props {
  places: Places;
  domain: string;
  /** The address under which websites reach the service. */
  base: string;
  timezone: string;
  onReceived?: (() => void) | undefined;
  /** A link to the statistics. */
  children: ComponentChildren;
}

/** Whether a website has sent anything, and a checklist while nothing arrives. */
export function FirstEvent({ places, domain, base, timezone, onReceived, children }: Props) {
  const { data, isThere } = useFirstEvent(places, timezone);
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
        {isThere ? receivedText(data ?? []) : words.waiting}
      </p>
      {isThere && children}
      {!isThere && isLate && <Checks domain={domain} base={base} />}
    </>
  );
}

function useFirstEvent({ summary }: Places, timezone: string) {
  const [turn, setTurn] = useState(0);
  const names = 'pageview,event,page,country';
  const hitQuery = { names, from: FIRST_DAY, to: todayIn(timezone) };
  const { data } = useAnswer<{ data: StatSummary[] }>(urlOf(summary, hitQuery), turn);
  const isThere = data?.data.some(({ sum }) => sum > 0);
  useEffect(() => {
    if (isThere !== false) return;
    const timer = setInterval(() => document.hidden || setTurn((last) => last + 1), PAUSE_MS);
    return () => clearInterval(timer);
  }, [isThere]);
  return { data: data?.data, isThere };
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

function Checks({ domain, base }: { domain: string; base: string }) {
  return (
    <div class="checks">
      <p>{words.nothing}</p>
      <ul>
        {words.checks(domain, base).map((check) => (
          <li key={check}>{check}</li>
        ))}
      </ul>
    </div>
  );
}
