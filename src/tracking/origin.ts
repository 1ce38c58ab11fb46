import { hostOf } from './host';

/** Whether a browser says that the event comes from a page of another website. Sandboxed pages send `null`. */
export function isForeignOrigin(origin: string | undefined, domain: string): boolean {
  if (origin === undefined || origin === 'null') return false;
  const host = hostOf(origin);
  return host !== domain && !host?.endsWith(`.${domain}`);
}
