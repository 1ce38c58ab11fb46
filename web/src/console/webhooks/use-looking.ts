import { useEffect } from 'preact/hooks';
import type { Delivery } from './webhook';

/** How soon what is being sent is looked at again. */
const PAUSE_MS = 2000;

const SOON_MS = 10_000;

/** Whether an attempt is made within moments. A new delivery tells that by itself, whatever the clock here. */
function isMoving({ state, next_attempt_at: next, created_at: created }: Delivery): boolean {
  if (next === null) return state === 'sending';
  return Date.parse(next) < Math.max(Date.now(), Date.parse(created)) + SOON_MS;
}

/** Looks again while something is being sent and the page is seen. */
export function useLooking(list: Delivery[] | undefined, look: () => void): void {
  useEffect(() => {
    if (!list?.some(isMoving)) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      clearInterval(timer);
      look();
    }, PAUSE_MS);
    return () => clearInterval(timer);
  }, [list]);
}
