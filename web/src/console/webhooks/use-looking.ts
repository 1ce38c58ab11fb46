import { useEffect, useRef } from 'preact/hooks';
import type { Delivery } from './webhook';

/** How soon what is being sent is looked at again: each time later, until there is a new delivery. */
const FIRST_PAUSE_MS = 2000;
const GROWTH = 1.5;
const LAST_PAUSE_MS = 30_000;

const SOON_MS = 10_000;

/** Tells whether an attempt is made within moments. A new delivery tells that by itself, whatever the clock here. */
function isMoving({ state, next_attempt_at: next, created_at: created }: Delivery): boolean {
  if (next === null) return state === 'sending';
  return Date.parse(next) < Math.max(Date.now(), Date.parse(created)) + SOON_MS;
}

/** Looks again while something is being sent and the page is seen. */
export function useLooking(list: Delivery[] | undefined, look: () => void): void {
  const looks = useRef<{ newest?: Delivery['id']; count: number }>({ count: 0 });
  useEffect(() => {
    const newest = list?.[0]?.id;
    if (!list?.some(isMoving) || looks.current.newest !== newest) looks.current = { newest, count: 0 };
    if (!list?.some(isMoving)) return;
    const pauseMs = Math.min(FIRST_PAUSE_MS * GROWTH ** looks.current.count++, LAST_PAUSE_MS);
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      clearInterval(timer);
      look();
    }, pauseMs);
    return () => clearInterval(timer);
  }, [list]);
}
