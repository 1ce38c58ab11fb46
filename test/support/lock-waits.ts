import { select } from './database-access';
import { until } from './until';

/** InnoDB shows the same data again if it is queried sooner. */
const EVERY_MS = 150;

/** The transactions on a server's database that wait for locks, with a statement that begins like this. */
export async function lockWaits(url: string, beginning: string): Promise<string[]> {
  const rows = await select<{ id: string }>(
    url,
    `SELECT trx_id AS id FROM information_schema.innodb_trx
    INNER JOIN information_schema.processlist ON processlist.id = trx_mysql_thread_id
    WHERE db = DATABASE() AND trx_state = 'LOCK WAIT' AND trx_query LIKE '${beginning}%'`,
  );
  return rows.map(({ id }) => String(id)).sort();
}

/** Waits until this number of transactions wait for locks, and returns them. */
export function untilLocksAreAwaited(url: string, beginning: string, count = 1): Promise<string[]> {
  return until(async () => {
    const waiting = await lockWaits(url, beginning);
    return waiting.length >= count && waiting;
  }, EVERY_MS);
}
