import { useEffect, useState } from 'preact/hooks';
import { urlOf } from '../api';
import { FIRST_DAY, todayIn } from '../ranges';
import { texts } from '../texts';
import { useAnswer } from '../use-answer';
import { API } from './client';

const words = texts.console.snippet;
const PAUSE_MS = 2000;

/** Says when the first event of a website comes; nothing where there are some already. */
export function FirstEvent({ websiteId, timezone }: { websiteId: number; timezone: string }) {
  const [turn, setTurn] = useState(0);
  const [hasWaited, setWaited] = useState(false);
  const question = { names: 'pageview,event', from: FIRST_DAY, to: todayIn(timezone) };
  const answer = useAnswer<{ data: { sum: number }[] }>(
    urlOf(`${API}/stats/${websiteId}/summary`, question),
    turn,
  );
  const isThere = answer.data?.data.some(({ sum }) => sum > 0);
  useEffect(() => {
    if (isThere !== false) return;
    setWaited(true);
    const timer = setInterval(() => document.hidden || setTurn((last) => last + 1), PAUSE_MS);
    return () => clearInterval(timer);
  }, [isThere]);
  if (isThere === undefined || (isThere && !hasWaited)) return null;
  return (
    <p role="status" class={isThere ? 'received' : 'waiting quiet'}>
      {isThere ? words.received : words.waiting}
    </p>
  );
}
