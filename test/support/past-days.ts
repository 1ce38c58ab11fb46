import { VISITOR_BYTES } from '../../engine/ground/visitor-bytes';
import { inChunks } from '../../engine/database/rows';
import { InboxWriter } from '../../engine/columns/fold/inbox-writer';
import type { DropReason } from '../../engine/hits/events/dropped-events';
import type { Hit } from '../../engine/hits/hit';
import { day } from '../../engine/ground/time/parsed';
import { VERSION_ROW } from '../../src/websites/website-changes';
import { closeDays } from './counted';
import { type CountingProcess, pageViewOn } from './counting';
import { PATIENCE_MS, until } from './until';

/** As many as the service appends in one transaction. */
const HITS_AT_ONCE = 1000;

let lastVisitor = 0;

/** One page view of each visitor of a day. */
export function visitorsOn(date: string, visitors: number, fields: Partial<Hit> = {}): Hit[] {
  const nextVisitor = () => String(++lastVisitor).padStart(VISITOR_BYTES, '0');
  return Array.from({ length: visitors }, () => hitOn(date, nextVisitor(), fields));
}

/** Hits without a visitor, like those that arrive late. They are page views, or events if `fields` names one. */
export function hitsOn(date: string, hits: number, fields: Partial<Hit> = {}): Hit[] {
  return Array.from({ length: hits }, () => hitOn(date, '', fields));
}

/** An hour before the present time of the day, so that hits of today have been, and nobody is there now. */
function hitOn(date: string, visitor: string, fields: Partial<Hit>): Hit {
  const at = 86_400 * day(date) + Math.max(0, (Math.floor(Date.now() / 1000) % 86_400) - 3600);
  return pageViewOn(day(date), '/', visitor, { at, ...fields });
}

/** A service in the process of the test. */
type Service = Pick<CountingProcess, 'database' | 'counting'>;

/** Stores hits of a website, counts them, and seals the days that are over, with the code of the service. */
export async function addHits(service: Service, websiteId: number, hits: Hit[]): Promise<void> {
  await countHits(service, websiteId, hits);
  await closeDays(service.counting, websiteId, Infinity);
}

/** Stores hits of a website and counts them. */
export async function countHits(
  { database, counting }: Service,
  websiteId: number,
  hits: Hit[],
): Promise<void> {
  // Another process on the database would keep its lease for some seconds.
  await until(async () => (await counting.settle(websiteId)) !== 'elsewhere');
  const inbox = new InboxWriter(database);
  for (const some of inChunks(hits, HITS_AT_ONCE)) {
    const entries = some.map((hit) => ({ hit, eventId: null }));
    await inbox.accept([{ websiteId, source: 'browser', hits: entries }], VERSION_ROW);
  }
  await countWaiting(counting, websiteId);
}

/** Adds to the number of events of a day that were dropped for a reason. */
export async function addDropped(
  service: Service,
  websiteId: number,
  counts: [date: string, reason: string, events: number][],
): Promise<void> {
  const dropped = counts.map(([date, reason, count]) => {
    return { websiteId, day: day(date), reason: reason as DropReason, count };
  });
  await new InboxWriter(service.database).appendDropped(dropped, PATIENCE_MS, () => undefined);
  await countWaiting(service.counting, websiteId);
}

async function countWaiting(counting: Service['counting'], websiteId: number): Promise<void> {
  await until(async () => {
    await counting.foldAll();
    return !(await counting.hasWaiting(websiteId));
  }, 0);
}
