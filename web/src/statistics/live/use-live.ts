import { useEffect, useState } from 'preact/hooks';
import { Failure, type LiveAnswer, load } from '../../shared/api';
import type { Places } from '../page-answer';

const PAUSE_MS = 5000;
/** While the service does not answer. */
const MAX_PAUSE_MS = 60_000;
const PATIENCE_MS = 10_000;
/** After these the page must be reloaded. */
const FINAL: readonly string[] = ['gone', 'password', 'signin'];

/** The current visitors: null if unknown, undefined before the first answer. */
export type Live = LiveAnswer | null | undefined;

/** Polls every few seconds, but not while the page is hidden. */
export function useLive({ live: url }: Places): Live {
  const [live, setLive] = useState<Live>();
  useEffect(() => {
    let failures = 0;
    let timer = 0;
    let leaving: AbortController | undefined;
    const stop = () => {
      clearTimeout(timer);
      leaving?.abort();
    };
    const ask = async () => {
      const asking = (leaving = new AbortController());
      let isOver = false;
      timer = window.setTimeout(() => asking.abort(), PATIENCE_MS);
      try {
        setLive(await load<LiveAnswer>({ url }, asking.signal));
        failures = 0;
      } catch (error) {
        if (asking !== leaving) return;
        failures++;
        isOver = error instanceof Failure && FINAL.includes(error.kind);
        setLive(null);
      }
      if (asking !== leaving) return;
      clearTimeout(timer);
      if (!isOver)
        timer = window.setTimeout(() => void ask(), Math.min(PAUSE_MS * 2 ** failures, MAX_PAUSE_MS));
    };
    const look = () => {
      stop();
      leaving = undefined;
      if (!document.hidden) void ask();
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      stop();
      leaving = undefined;
    };
  }, [url]);
  return live;
}
