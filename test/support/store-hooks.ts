import { VISITOR_BYTES } from '../../engine/ground/visitor-bytes';
import type { Database } from '../../engine/database/database';
import { insertAll, type Transaction } from '../../engine/database/rows';
import { ROLLED_UP_HITS } from '../../engine/columns/rollups/rollup-rules';
import { monthOf } from '../../engine/hits/calendar';
import { raiseCountsVersion, raiseRollups, readClosedDays } from '../../engine/columns/closed-days';
import type { CountedName } from '../../engine/columns/rollups/counted-names';
import { addSection, SPANS } from '../../engine/columns/rollups/rollup-format';
import {
  nameSpan,
  readRollup,
  readSpans,
  removeMonth,
  removeSpans,
  rollupInsertion,
} from '../../engine/columns/rollups/rollup-rows';
import { prepareRollup } from '../../engine/columns/rollups/rollup-writer';
import { DistinctTexts } from '../../engine/columns/rollups/texts/distinct-texts';
import { writeTexts } from '../../engine/columns/rollups/texts/text-rows';
import { readTexts } from '../../engine/columns/rollups/texts/value-texts';
import { DIMENSIONS, statNameWithCode, type StatName } from '../../engine/hits/stat-names';
import { readDays } from '../../engine/columns/stored-days';
import { Sums } from '../../engine/hits/sums';
import { day as dayOf } from '../../engine/ground/time/parsed';
import { engine } from './fresh-database';

/** The first day and the last day that the service has. */
const EVER = [0, 2 ** 31 - 1] as const;

/** Changes the numbers of hits from which days and months are rolled up. Returns a function that restores them. */
export function rollUpFrom({ day, month }: Readonly<typeof ROLLED_UP_HITS>): () => void {
  const replaced = [
    jest.replaceProperty(ROLLED_UP_HITS, 'day', day),
    jest.replaceProperty(ROLLED_UP_HITS, 'month', month),
  ];
  return () => replaced.forEach((property) => property.restore());
}

/** The largest spans of a website that are rolled up, or `hits` if there are none. */
export async function formOf(database: Database, websiteId: number): Promise<'hits' | 'days' | 'months'> {
  if ((await readSpans(database, websiteId, SPANS.month, ...EVER)).length > 0) return 'months';
  return (await readSpans(database, websiteId, SPANS.day, ...EVER)).length > 0 ? 'days' : 'hits';
}

/** Tells whether all hits of a website before a day are in columns. */
export async function areSealed(database: Database, websiteId: number, before: number): Promise<boolean> {
  const days = await readDays(database, websiteId, { from: 0, to: before - 1 });
  return days.every(({ hits, columns }) => columns?.hits === hits);
}

/** Removes the rollup of a day, which stays in columns. */
export async function forgetRollup(database: Database, websiteId: number, day: number): Promise<void> {
  await database.write((manager) => removeSpans(manager, websiteId, [day]));
}

/** A count that the rollup of a day has beyond those of its hits. */
export interface Surplus {
  name: CountedName;
  day: number;
  value: string;
  hits: number;
}

/** No use of a lease has these numbers. */
let lastNumber = 1_000_000;

/** Adds to a count in the rollup of a day, which then differs from the day's hits. */
export async function spoilRollup(database: Database, websiteId: number, surplus: Surplus): Promise<void> {
  const { name, day, value, hits } = surplus;
  await database.write(async (manager) => {
    const { epoch: generation } = await readClosedDays(manager, websiteId);
    const [span] = await readSpans(manager, websiteId, SPANS.day, day, day);
    const counts = await readCounts(manager, websiteId, generation, span!);
    const { texts, sums } = counts.get(name)!;
    sums.add(texts ? texts.codeOf(value) : dayOf(value), hits);
    const key = { websiteId, span: SPANS.day, day, number: ++lastNumber, generation };
    const all = Array.from(counts, ([name, { texts, sums }]) => ({ name, texts, counts: sums.counts }));
    const prepared = await prepareRollup(manager, key, all);
    if (prepared.isFull) throw new Error(`${prepared.names.join()} have too many values`);
    await writeTexts(manager, prepared.texts);
    await insertAll(manager, [rollupInsertion(prepared.rows)]);
    await nameSpan(manager, { ...span!, ...key, limited: prepared.limited });
    await removeMonth(manager, websiteId, monthOf(day));
    await raiseRollups(manager, websiteId);
    await raiseCountsVersion(manager, websiteId);
    await manager.query('UPDATE counting SET folds = folds + 1 WHERE website_id = ?', [websiteId]);
  });
}

async function readCounts(
  manager: Transaction,
  websiteId: number,
  generation: number,
  span: { day: number; number: number },
) {
  const counts = new Map<StatName, { texts: DistinctTexts | undefined; sums: Sums }>();
  for await (const { name: code, sections } of readRollup(manager, { websiteId, span: SPANS.day, ...span })) {
    const name = statNameWithCode(code);
    const { texts, sums } = counts.get(name) ?? {
      texts: DIMENSIONS[name].days ? undefined : await readAllTexts(manager, websiteId, generation, name),
      sums: new Sums(),
    };
    for (const section of sections) addSection(sums, section);
    counts.set(name, { texts, sums });
  }
  return counts;
}

async function readAllTexts(manager: Transaction, websiteId: number, generation: number, name: StatName) {
  const texts = new DistinctTexts();
  for await (const { bytes, ends } of readTexts(manager, websiteId, generation, name, 0))
    texts.addAll(bytes, ends);
  return texts;
}

// Statements that reach inside the store, and beginnings of its own, for any connection. The ids and days in them are numbers.

/** All hits in batches are lost. */
export const loseHits = (websiteId: number) => `DELETE FROM hit_batches WHERE website_id = ${websiteId}`;

/** The second hit of each day is lost, which is in a batch of its own. */
export const loseSecondHit = (websiteId: number) => `${loseHits(websiteId)} AND first_hit = 1`;

/** Batches with a wrong number of hits cannot be read. */
export const setBatchSize = (websiteId: number, hits: number) =>
  `UPDATE hit_batches SET size = ${hits} WHERE website_id = ${websiteId}`;

/** Visitors of days in batches are forgotten. */
export const loseVisitors = (websiteId: number, before?: number) =>
  `DELETE FROM batch_visitors WHERE website_id = ${websiteId}${before === undefined ? '' : ` AND day < ${before}`}`;

/** The bytes with hashes of a website's visitors: a checksum, and the hashes. */
export const hashesOf = (websiteId: number) =>
  ['batch_visitors', 'day_visitors'].map(
    (table) => `SELECT hashes FROM ${table} WHERE website_id = ${websiteId}`,
  );

/** The days of a website that are in columns. */
export const sealedDays = (websiteId: number) => `SELECT day FROM hit_days WHERE website_id = ${websiteId}`;

/** Hits before a day have expired. */
export const keepHitsFrom = (websiteId: number, day: number) =>
  `UPDATE counting SET archived_from = ${day} WHERE website_id = ${websiteId}`;

/** The hits of a day in columns cannot be read. */
export const damageHits = (websiteId: number, day: number) =>
  `UPDATE hit_columns SET data = X'01' WHERE website_id = ${websiteId} AND segment =
  (SELECT segment FROM hit_days WHERE website_id = ${websiteId} AND day = ${day})`;

/** The hits of days in columns are lost, up to one. */
export const loseDays = (websiteId: number, last: number) =>
  `DELETE FROM hit_days WHERE website_id = ${websiteId} AND day <= ${last}`;

/** The rollups of all days, or of all months, cannot be read. */
export const damageRollups = (websiteId: number, span: number) =>
  `UPDATE rollups SET data = X'01ffffffff0001' WHERE website_id = ${websiteId} AND number IN
  (SELECT number FROM rollup_spans WHERE website_id = ${websiteId} AND span = ${span})`;

/** The counts of rollups are lost. */
export const loseRollups = (websiteId: number) => `DELETE FROM rollups WHERE website_id = ${websiteId}`;

/** The texts of rollups are lost. */
export const loseTexts = (websiteId: number) => `DELETE FROM value_texts WHERE website_id = ${websiteId}`;

/** Texts of pages that cannot be read, of a website without rollups. */
export const addUnreadableTexts = (websiteId: number) =>
  `INSERT INTO value_texts (website_id, generation, name, first_code, size, data)
  VALUES (${websiteId}, 0, ${DIMENSIONS.page.code}, 0, 1, X'${Buffer.from('damaged').toString('hex')}')`;

/** A row for each day and month that is rolled up. */
export const rollupsOf = (websiteId: number) =>
  `SELECT span, day FROM rollup_spans WHERE website_id = ${websiteId} ORDER BY span, day`;

/** On SQLite, reads of rollups take far more work than a look-up. A thread cannot be stopped within a statement. */
export const SLOW_ROLLUPS = [
  'ALTER TABLE rollup_spans RENAME TO kept_spans',
  `CREATE VIEW rollup_spans AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
  SELECT i + 1000000 AS website_id, i % 2 AS span, i % 1000 AS day, i AS number, 0 AS hits, 0 AS limited FROM n`,
];

export const QUICK_ROLLUPS = ['DROP VIEW rollup_spans', 'ALTER TABLE kept_spans RENAME TO rollup_spans'];

/** All work on the days of a website is due. */
export const makeDue = (websiteId: number) =>
  `UPDATE closed_days SET due_at = 0 WHERE website_id = ${websiteId}`;

/** Another process counts a website without hits until a moment. */
export const countElsewhereUntil = (websiteId: number, moment: number) =>
  `INSERT INTO counting (website_id, owner, token, expires_at, folds, archived_from)
  VALUES (${websiteId}, 'another process', 1, ${moment}, 0, 0)`;

export const renewLease = (websiteId: number, until: number) =>
  `UPDATE counting SET expires_at = ${until} WHERE website_id = ${websiteId}`;

/** No process holds a lease any more. */
export const END_LEASES = 'UPDATE counting SET expires_at = 0';

/** The processes that count have been away for some time. */
export const passLeases = (milliseconds: number) =>
  `UPDATE counting SET expires_at = expires_at - ${milliseconds}`;

export const leaseOf = (websiteId: number) =>
  `SELECT owner, expires_at FROM counting WHERE website_id = ${websiteId}`;

export const ENDS_OF_LEASES = 'SELECT DISTINCT expires_at FROM counting';

/** The leases of some websites that were used within a second, on a server. */
export const leasesJustUsed = (...websiteIds: number[]) =>
  `SELECT 1 FROM counting WHERE website_id IN (${websiteIds.join()})
  AND expires_at > UNIX_TIMESTAMP(NOW(3)) * 1000 + 3000`;

/** Holds up all folds and all sealing of websites, on a server. */
export const lockCounting = (...websiteIds: number[]) =>
  `SELECT * FROM counting WHERE website_id IN (${websiteIds.join()}) FOR UPDATE`;

/** Holds up a fold of a website where it stores the hits, on a server. */
export const lockHits = (websiteId: number) =>
  `SELECT * FROM hit_batches WHERE website_id = ${websiteId} FOR UPDATE`;

/** The beginning of the statement with which a fold stores hits. */
export const STORE_HITS = 'INSERT INTO hit_batches';

/** The beginning of the statement with which accepted events are stored. */
export const STORE_EVENTS = 'INSERT INTO inbox';

/** The beginning of the statement with which the ids of accepted events are claimed. */
export const CLAIM_IDS = 'INSERT IGNORE INTO event_ids';

/** Claims the id of an event, as if it had been accepted long ago. */
export const claimId = (websiteId: number, key: Buffer) =>
  `INSERT INTO event_ids (website_id, event_id, batch, accepted_at)
  VALUES (${websiteId}, X'${key.toString('hex')}', X'${Buffer.alloc(8).toString('hex')}', 0)`;

/** The beginning of the first statement of a question about statistics. */
export const ASK_STATISTICS = 'SELECT counting.folds';

/** A row of the inbox. */
interface WaitingRow {
  id?: number;
  websiteId: number;
  acceptedAt: number;
  /** One hit. Without it, nobody can count the row. */
  hits?: Buffer;
  /** The size that the row claims to have. */
  bytes?: number;
}

/** Events wait to be counted. */
export const addWaiting = (rows: WaitingRow[]) =>
  `INSERT INTO inbox (id, website_id, accepted_at, size, bytes, hits) VALUES ${rows
    .map(
      ({ id = null, websiteId, acceptedAt, hits = Buffer.from('[]'), bytes = hits.length }) =>
        `(${id}, ${websiteId}, ${acceptedAt}, 1, ${bytes}, X'${hits.toString('hex')}')`,
    )
    .join()}`;

/** The row of events that cannot be read. */
export const UNREADABLE_ROW = 1_000_000;

/** Events that cannot be read wait to be counted. */
export const addUnreadable = (websiteId: number, acceptedAt: number, hits = 'no hits') =>
  addWaiting([{ id: UNREADABLE_ROW, websiteId, acceptedAt, hits: Buffer.from(hits) }]);

export const REMOVE_UNREADABLE = `DELETE FROM inbox WHERE id = ${UNREADABLE_ROW}`;

/** The oldest waiting events of each of some websites are counted. */
export const takeOldest = (websiteIds: number[]) =>
  `DELETE FROM inbox WHERE id IN (SELECT id FROM (
    SELECT MIN(id) AS id FROM inbox WHERE website_id IN (${websiteIds.join()}) GROUP BY website_id
  ) oldest)`;

export const REMOVE_WAITING = 'DELETE FROM inbox';

/** The waiting events of a website have become small. */
export const shrinkWaiting = (websiteId: number, bytes: number) =>
  `UPDATE inbox SET bytes = ${bytes} WHERE website_id = ${websiteId}`;

/** All waiting events were accepted earlier than they were. */
export const letWait = (milliseconds: number) =>
  `UPDATE inbox SET accepted_at = accepted_at - ${milliseconds}`;

/** How much of a website waits to be counted, and since when. */
export const waitingOf = (websiteId: number) =>
  `SELECT COUNT(*) AS waiting, MIN(accepted_at) AS oldest FROM inbox WHERE website_id = ${websiteId}`;

/** No event can be stored, and later they can again. */
export const [BREAK_INBOX, MEND_INBOX] = [
  'ALTER TABLE inbox RENAME COLUMN size TO length',
  'ALTER TABLE inbox RENAME COLUMN length TO size',
];

/** Holds up all events on a server, and whoever looks at those that wait. */
export const LOCK_INBOX = 'LOCK TABLES inbox WRITE';

const refuse = (change: string) =>
  `CREATE TRIGGER refused BEFORE ${change} ${
    engine === 'sqlite'
      ? "BEGIN SELECT RAISE(ABORT, 'not now'); END"
      : "FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not now'"
  }`;

/** No id of an event can be claimed. */
export const REFUSE_IDS = refuse('INSERT ON event_ids');

/** No day can be sealed. */
export const REFUSE_SEALING = refuse('INSERT ON hit_days');

/** Nothing is refused any more. */
export const ACCEPT_AGAIN = 'DROP TRIGGER refused';

/** The visitors of a website are due to be forgotten at a moment. */
export const forgetVisitorsAt = (websiteId: number, moment: number) =>
  ['batch_visitors', 'checkpoint_visitors', 'day_visitors'].map(
    (table) => `UPDATE ${table} SET forget_at = ${moment} WHERE website_id = ${websiteId}`,
  );

/** When the hashes of open days are forgotten. */
export const FORGET_TIMES = 'SELECT forget_at FROM batch_visitors';

/** The websites that have hits of a day in batches. */
export const openOn = (day: number) => `SELECT DISTINCT website_id FROM hit_batches WHERE day = ${day}`;

/** What changes with every website that is followed. */
export const FOLLOWING_TABLES = ['followed_websites', 'followed_days'];

/** The websites that are followed or have followed days. */
export const FOLLOWED = FOLLOWING_TABLES.map((table) => `SELECT website_id FROM ${table}`).join(' UNION ');

/** The beginning of the statement with which following begins. */
export const FOLLOW = 'INSERT IGNORE INTO followed_websites';

/** A website that is followed was last read at a moment. */
export const setReadAt = (websiteId: number, moment: number) =>
  `UPDATE followed_websites SET read_at = ${moment} WHERE website_id = ${websiteId}`;

/** The reader of a website has been holding sealing up since a moment. */
export const setHeldAt = (websiteId: number, moment: number) =>
  `UPDATE followed_websites SET held_at = ${moment} WHERE website_id = ${websiteId}`;

/** Before the hashes of a batch. */
const CHECKSUM_BYTES = 4;

/** The hashes of the visitors of days in batches. */
export async function readVisitorHashes(database: Database): Promise<Buffer[]> {
  const rows = await database.query<{ hashes: Buffer }[]>('SELECT hashes FROM batch_visitors');
  return rows.flatMap(({ hashes }) =>
    Array.from({ length: (hashes.length - CHECKSUM_BYTES) / VISITOR_BYTES }, (_, index) => {
      const begin = CHECKSUM_BYTES + VISITOR_BYTES * index;
      return hashes.subarray(begin, begin + VISITOR_BYTES);
    }),
  );
}
