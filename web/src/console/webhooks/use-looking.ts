import { useEffect } from 'preact/hooks';
import type { Delivery } from './webhook';

/** How soon what is being sent is looked at again. */
const PAUSE_MS = 2000;

/** Whether an attempt is made within moments. */
const isMoving = ({ state, attempts }: Delivery) =>
  state === 'sending' || (state === 'waiting' && attempts === 0);

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
