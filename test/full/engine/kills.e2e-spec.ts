import { Logger } from '@nestjs/common';
import { RETENTION_RULES } from '../../../src/retention-rules';
import { DAY_MS } from '../../../engine/ground/time/days';
import { Settings } from '../../../src/config/settings';
import type { Exclusion } from '../../../src/exclusions/exclusion.entity';
import { ExclusionsRepository } from '../../../src/exclusions/exclusions.repository';
import { ListResources } from '../../../src/websites/resources/list-resources.dto';
import type { ColumnLimits, DaysToClose } from '../../../engine/columns/upkeep/next-column-work';
import { ROLLED_UP_HITS } from '../../../engine/columns/rollups/rollup-rules';
import { inChunks } from '../../../engine/database/rows';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { Housekeeping } from '../../../src/retention/housekeeping';
import { RetentionClock } from '../../../engine/database/retention-clock';
import { CHECKPOINTS } from '../../../engine/columns/checkpoints/checkpoint-rules';
import type { Hit } from '../../../engine/hits/hit';
import { COUNTED_NAMES } from '../../../engine/columns/rollups/counted-names';
import {
  CountingProcess,
  daysOver,
  forgottenAt,
  mixedHitsOn,
  pageViewOn,
  smallDaySealing,
  TODAY,
} from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { answersOf } from '../../support/hit-answers';
import { Killer } from '../../support/killer';
import { keptHits } from '../../support/stored-days';
import { size } from '../../support/sizes';

/** All websites belong to this user. */
const OWNER = 1;
/** A process is killed before one in this many statements. */
const ONE_IN = size('KILL_ONE_IN', 17, 1);
/** Hits of both days are accepted, and their visitors are known. */
const DAY = TODAY - 1;
const EARLIER = DAY - 1;
const SEALED: DaysToClose = { ...daysOver(DAY + 1), before: 0, finalBefore: 0 };
const FINAL: DaysToClose = { ...SEALED, finalBefore: DAY + 1 };
/** Several parts for a day, made from fragments, and a transaction for each row. */
const SMALL: ColumnLimits = {
  closing: { hits: 4, textBytes: 1_000_000, bytesAtOnce: 1, bufferBytes: 1 },
  merge: { textBytes: 1_000_000, bytesAtOnce: 1 },
};
const HITS_OF_FOLD = 3;
const HITS_OF_CHECKPOINT = 8;
/** Of each stage. */
const LEAST_STATEMENTS = 3;
/** The tables of hits, and of data derived from them. */
const TABLES = [
  'batch_visitors',
  'checkpoint_visitors',
  'checkpoints',
  'closed_days',
  'counting',
  'day_blocks',
  'day_visitors',
  'event_ids',
  'exclusions',
  'hit_batches',
  'hit_columns',
  'hit_days',
  'hit_properties',
  'hits',
  'inbox',
  'left_out',
  'purges',
  'rollup_spans',
  'rollups',
  'unnamed_versions',
  'value_texts',
];
const CHANGE = new RegExp(`^(?:INSERT|UPDATE|DELETE)\\b.*\\b(?:${TABLES.join('|')})\\b`, 's');

let database: FreshDatabase;
let one: CountingProcess;
let exclusions: ExclusionsRepository;
let killer: Killer;
let websiteId = 500;
beforeAll(async () => {
  Logger.overrideLogger(false);
  jest.replaceProperty(CHECKPOINTS, 'hits', HITS_OF_CHECKPOINT);
  jest.replaceProperty(ROLLED_UP_HITS, 'day', 1);
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  exclusions = new ExclusionsRepository(one.database, one.store);
  killer = new Killer(one.database, CHANGE);
});
afterAll(async () => {
  Logger.overrideLogger(true);
  jest.restoreAllMocks();
  await one.stop();
  await database.drop();
});

const hit = (page: string, visitor: string, second: number, fields: Partial<Hit> = {}) =>
  pageViewOn(DAY, page, visitor, { at: 86_400 * DAY + second, ...fields });
const dayBefore = (own: Hit): Hit => ({ ...own, day: EARLIER, at: own.at - 86_400 });

const HITS = mixedHitsOn(DAY);
const LATE_HITS = [
  hit('/late/a', 'a', 5, { referrer: 'late.example', country: 'IT' }),
  hit('/late/z', 'z', 4005),
  hit('/late/new', 'n', 100, { country: 'ES', referrer: 'a.example' }),
  hit('/late/nobody', '', 200),
];
/** Hits of two days alternate, so that each fold has both. */
const ALL_HITS = HITS.flatMap((own) => [own, dayBefore(own)]);
const ALL_LATE_HITS = LATE_HITS.flatMap((own) => [own, dayBefore(own)]);

const unknown = (own: Hit): Hit => ({ ...own, visitor: '' });

let ids = 0;
/** Only every second row of the inbox has ids, which would reveal repeated folds. */
async function accept(hits: Hit[]): Promise<void> {
  let hasIds = false;
  const idOf = () => (hasIds ? `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}` : null);
  for (const some of inChunks(hits, HITS_OF_FOLD)) {
    await one.acceptWithIds(websiteId, ...some.map((own) => ({ hit: own, eventId: idOf() })));
    hasIds = !hasIds;
  }
  await one.execute('UPDATE inbox SET accepted_at = ? WHERE website_id = ?', [DAY * DAY_MS, websiteId]);
}

async function fold(): Promise<void> {
  await one.endLeases();
  const folder = (await one.folderOf(websiteId))!;
  while ((await folder.foldSome(HITS_OF_FOLD)) > 0) await folder.mergeBatches();
  await folder.lease.release();
}

async function housekeeping(now: number): Promise<void> {
  for (const table of ['retention', 'leases']) await one.execute(`DELETE FROM ${table}`);
  const settings = new Settings({ STATS_DAYS: '30', ARCHIVE_DAYS: '30' });
  const tidying = new Housekeeping(one.database, new RetentionClock(one.database, settings), RETENTION_RULES);
  await tidying.tidy(now);
}

/** What was replaced may always be removed, however long the test takes. */
const columns = (over: DaysToClose) =>
  one.workOnColumns(websiteId, { ...over, now: daysOver(DAY).now }, SMALL);

async function checkpoints(): Promise<void> {
  await one.writeCheckpoints(websiteId, 1);
}

const listed = () => exclusions.all(OWNER, websiteId, new ListResources());

/** Nothing if an earlier run has done it. */
async function addExclusion(
  filters: FilterJson[] = [['is', 'referrer', ['a.example']]],
  fromDay = DAY,
): Promise<void> {
  if ((await listed()).length > 0) return;
  const made = { name: 'Spam', reason: null, final: 0, purge: 0, madeBy: 'test' } as const;
  await exclusions.insert(OWNER, websiteId, { ...made, fromDay, toDay: DAY, filters });
}

async function beginPurge(filters: FilterJson[], fromDay?: number): Promise<void> {
  await addExclusion(filters, fromDay);
  const [{ id }] = (await listed()) as [Exclusion];
  await exclusions.change(OWNER, websiteId, id, (before) => ({ ...before, purge: 1 }));
}

async function purge(more: Partial<DaysToClose> = {}): Promise<void> {
  await one.makeDue(websiteId);
  await columns({ ...FINAL, before: DAY + 1, ...more });
}

async function changeExclusion(): Promise<void> {
  const [{ id }] = (await listed()) as [Exclusion];
  const filters = [['is', 'country', ['FR']] as FilterJson];
  await exclusions.change(OWNER, websiteId, id, (before) => ({ ...before, fromDay: EARLIER, filters }));
}

async function removeExclusion(): Promise<void> {
  for (const { id } of await listed()) await exclusions.delete(OWNER, websiteId, id, () => undefined);
}

const MOVING = { rollAllBefore: DAY + 1, moves: { from: 0, home: undefined } };
const move = () => purge(MOVING);

interface Stage {
  title: string;
  prepare?: () => Promise<void>;
  run: () => Promise<void>;
  /** Tells whether the answers change before it ends. */
  isAnswered?: boolean;
  /** Tells whether they change at one moment. */
  isAtOnce?: boolean;
  /** Tells whether the process is always killed before each statement. */
  isShort?: boolean;
}

/** The stages of two days, one after the other. */
const STAGES: Stage[] = [
  {
    title: 'hits are folded, and batches merged',
    prepare: () => accept(ALL_HITS),
    run: fold,
    isAnswered: true,
  },
  { title: 'checkpoints of days are written', run: checkpoints },
  { title: 'days are sealed and rolled up', run: () => columns(SEALED) },
  { title: 'late hits are folded', prepare: () => accept(ALL_LATE_HITS), run: fold, isAnswered: true },
  { title: 'days are sealed again, and their segments merged', run: () => columns(FINAL) },
  { title: 'an exclusion is made', run: () => addExclusion(), isShort: true },
  { title: 'an exclusion is changed', run: changeExclusion, isShort: true },
  { title: 'days are rolled up without what is excluded', run: () => columns(FINAL) },
  { title: 'an exclusion is deleted', run: removeExclusion, isShort: true },
  { title: 'days are rolled up with what was excluded', run: () => columns(FINAL) },
  { title: 'visitors are forgotten', run: () => housekeeping(forgottenAt(DAY)) },
  {
    title: 'hits of days in one segment are purged',
    prepare: () => beginPurge([['contains', 'page', ['/1', '/2']]], EARLIER),
    run: () => purge(),
    isAtOnce: true,
  },
  { title: 'days move to rows', run: move },
  {
    title: 'moved days are sealed again, and move',
    prepare: async () => {
      await accept(ALL_LATE_HITS.map(unknown));
      await fold();
    },
    run: move,
  },
  {
    title: 'rows of hits are purged',
    prepare: () => beginPurge([['has_done', ['is', 'page', ['/5']]]]),
    run: move,
    isAtOnce: true,
  },
  {
    title: 'all rows of a day are purged',
    prepare: () => beginPurge([]),
    run: move,
    isAtOnce: true,
  },
  { title: 'hits expire', run: () => housekeeping((DAY + 60) * DAY_MS), isAnswered: true },
];

/** Replaces the third of these stages. */
const TOGETHER: Stage = {
  title: 'small days are sealed together, and rolled up',
  run: async () => {
    await smallDaySealing(one).seal([websiteId], SEALED);
    await columns(SEALED);
  },
};

async function answered(): Promise<unknown> {
  const pages = (await keptHits(one.database, websiteId)).map(({ day, page }) => `${day} ${page}`).sort();
  const names: Record<string, number>[] = [];
  for (const day of [EARLIER, DAY])
    for (const name of COUNTED_NAMES) names.push(await one.coldly().counted(websiteId, name, day, day));
  return [await answersOf(one.database, websiteId, { from: EARLIER, to: DAY }), pages, names];
}

/** The hits outside of columns, which are divided at random, and leftover rows. */
async function left(): Promise<unknown> {
  const sums = [
    'SELECT COUNT(*) AS n FROM inbox WHERE website_id = ?',
    'SELECT COUNT(*) AS n FROM event_ids WHERE website_id = ?',
    'SELECT COUNT(*) AS n FROM hit_days WHERE website_id = ?',
    'SELECT SUM(size) AS n FROM hit_batches WHERE website_id = ?',
    'SELECT COUNT(*) AS n FROM exclusions WHERE website_id = ?',
    'SELECT COUNT(*) AS n FROM left_out WHERE website_id = ?',
    'SELECT COUNT(*) AS n FROM purges WHERE website_id = ?',
    'SELECT COUNT(*) AS n FROM checkpoints WHERE website_id = ?',
    'SELECT COUNT(*) AS n FROM checkpoint_visitors WHERE website_id = ?',
    `SELECT COUNT(*) AS n FROM batch_visitors WHERE website_id = ?
      AND first_hit NOT IN (SELECT first_hit FROM hit_batches batches
        WHERE batches.website_id = batch_visitors.website_id AND batches.day = batch_visitors.day)`,
    `SELECT COUNT(*) AS n FROM hit_columns WHERE website_id = ?
      AND segment NOT IN (SELECT segment FROM hit_days days WHERE days.website_id = hit_columns.website_id)`,
    'SELECT COUNT(*) AS n FROM hits WHERE website = ?',
    'SELECT COUNT(*) AS n FROM hit_properties WHERE website = ?',
    'SELECT COUNT(*) AS n FROM unnamed_versions WHERE website_id = ?',
    'SELECT COUNT(*) AS n FROM rollup_spans WHERE website_id = ?',
    `SELECT COUNT(*) AS n FROM rollups WHERE website_id = ?
      AND number NOT IN (SELECT number FROM rollup_spans named WHERE named.website_id = rollups.website_id)`,
    `SELECT COUNT(*) AS n FROM day_visitors WHERE website_id = ?
      AND sealing NOT IN (SELECT sealing FROM hit_days days WHERE days.website_id = day_visitors.website_id
        AND days.day = day_visitors.day AND sealing IS NOT NULL)`,
  ];
  const counts: number[] = [];
  for (const sql of sums) {
    const [row] = await one.database.query<{ n: number | string | null }[]>(sql, [websiteId]);
    counts.push(Number(row!.n));
  }
  return counts;
}

function numbered(statements: string[]): string {
  return statements.map((sql, index) => `${index + 1}. ${sql}`).join('\n');
}

async function begin(stage: Stage): Promise<void> {
  await one.register(++websiteId);
  for (const { prepare, run } of STAGES.slice(0, stage === TOGETHER ? 2 : STAGES.indexOf(stage))) {
    await prepare?.();
    await run();
  }
  await stage.prepare?.();
}

describe.each([...STAGES, TOGETHER])('a process that is killed while $title', (stage) => {
  it('loses and doubles nothing, whichever statement it was about to run', async () => {
    await begin(stage);
    const before = await answered();
    await stage.run();
    const after = [await answered(), await left()];
    const isChange = stage.isShort || stage.isAtOnce;
    if (isChange) expect(after[0]).not.toEqual(before);
    const states = stage.isAtOnce ? [before, after[0]] : [before];
    for (let isKilled = true, number = 0; isKilled; number += stage.isShort ? 1 : ONE_IN) {
      await begin(stage);
      isKilled = await killer.during(number, stage.run);
      const where = `killed before ${number + 1}. ${killer.statements.at(-1)}`;
      if (isKilled && !stage.isAnswered)
        expect(states.map((state) => [where, state])).toContainEqual([where, await answered()]);
      await stage.run();
      expect([where, await answered(), await left()]).toEqual([where, ...after]);
    }
    expect(killer.statements.length).toBeGreaterThan(LEAST_STATEMENTS);
    if (process.env.LONG_ROUNDS) console.log(numbered(killer.statements));
  });
});
