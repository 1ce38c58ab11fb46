import { Logger } from '@nestjs/common';
import { RETENTION_RULES } from '../../../src/retention-rules';
import { Settings } from '../../../src/config/settings';
import { CheckpointWork } from '../../../engine/columns/upkeep/checkpoint-work';
import { SEALING_LIMITS, SEALING_MEMORY } from '../../../engine/columns/seal/sealing-memory';
import { LeaseLost } from '../../../engine/database/lease';
import { inChunks } from '../../../engine/database/rows';
import { Housekeeping } from '../../../src/retention/housekeeping';
import { RetentionClock } from '../../../engine/database/retention-clock';
import { DamagedCheckpoint, HASH_ROWS } from '../../../engine/columns/checkpoints/checkpoint-format';
import { CHECKPOINTS } from '../../../engine/columns/checkpoints/checkpoint-rules';
import { Checkpoints, countOn } from '../../../engine/columns/checkpoints/checkpoints';
import type { Hit } from '../../../engine/hits/hit';
import { CountedDay } from '../../../engine/columns/rollups/counted-day';
import { COUNTED_NAMES, TEXT_NAMES } from '../../../engine/columns/rollups/counted-names';
import { valuesWhileOpen } from '../../../engine/hits/rules/value-limits';
import { CountingProcess, forgottenAt, pageViewOn, TODAY } from '../../support/counting';
import { countedOneByOne } from '../../support/day-model';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { until } from '../../support/until';
import { visitorCalled } from '../../support/visitor-called';

/** The day is over and its events are still accepted, so it can be sealed. */
const DAY = TODAY - 1;
const HOUR_MS = 3_600_000;
const HITS_OF_CHECKPOINT = 1000;
const HASHES_OF_ROW = 50;
/** Four times as many values have counts of their own. The second checkpoint exceeds this. */
const LIMITS = { all: 1_000_000, textBytes: Infinity, newPerDay: 10 };
const MAX_VALUES = valuesWhileOpen(LIMITS.newPerDay);
const HITS_OF_FOLD = 270;
const HITS = Array.from({ length: 3600 }, (_, index) => hitOf(index));

/** Visitors return after a few hits and after many, with old and new values. */
function hitOf(index: number): Hit {
  const random = (most: number, step = 7919) => Math.floor(((index * step) % 3617) / (3617 / most));
  const visitor = index % 3 === 0 ? index : random(index, 2659);
  const place = Math.floor(index / 35);
  const isEvent = index % 11 === 0;
  return pageViewOn(DAY, `/p${random(place + 1, 31)}`, '', {
    visitor: index % 50 === 49 ? '' : visitorCalled(visitor),
    at: 86_400 * DAY + (index % 80_000),
    event: isEvent ? `event ${random(4)}` : null,
    referrer: index % 4 === 0 ? `r${random(place + 2, 1543)}.example` : null,
    campaign: index % 5 === 0 ? `c${visitor % 60}` : null,
    browser: `browser ${visitor % 3}`,
    city: `city ${random(place + 1, 401)}`,
    country: index % 2 === 0 ? 'DE' : 'FR',
  });
}

const ofToday = (hits: readonly Hit[]) => hits.map((hit) => ({ ...hit, day: TODAY, at: hit.at + 86_400 }));

let database: FreshDatabase;
let one: CountingProcess;
let other: CountingProcess;
let websiteId = 0;
beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await freshDatabase();
  one = await CountingProcess.start(database.url, LIMITS);
  other = await CountingProcess.start(database.url, LIMITS);
});
beforeEach(async () => {
  jest.replaceProperty(CHECKPOINTS, 'hits', HITS_OF_CHECKPOINT);
  jest.replaceProperty(HASH_ROWS, 'hashes', HASHES_OF_ROW);
  await one.register(++websiteId);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  Logger.overrideLogger(true);
  await one.stop();
  await other.stop();
  await database.drop();
});

async function count(hits: readonly Hit[]): Promise<void> {
  for (const some of inChunks([...hits], HITS_OF_FOLD)) await one.count(websiteId, some);
}

type Answers = Record<string, unknown>;

/** All values of the fourteen names except one. */
function answersOf(process: CountingProcess, day = DAY): Promise<Answers> {
  return process.read(websiteId, async (snapshot) => {
    const answers: Answers = {};
    for (const name of COUNTED_NAMES) {
      const { sums, limitedDays, forgotten } = await snapshot.count(name, { from: day, to: day });
      const order = { by: 'count', direction: 'desc' } as const;
      const page = await snapshot.page(name, sums, sums.codes(), order, 0, 10_000);
      const values = Object.fromEntries(page.map(({ value, count: own }) => [value, own]));
      answers[name] = { values, isLimited: limitedDays > 0, forgotten };
    }
    return answers;
  });
}

const cold = () => answersOf(one.coldly());

async function withoutCheckpoints(): Promise<Answers> {
  const replaced = jest.replaceProperty(CHECKPOINTS, 'hits', Infinity);
  const answers = await cold();
  replaced.restore();
  jest.replaceProperty(CHECKPOINTS, 'hits', HITS_OF_CHECKPOINT);
  return answers;
}

function expected(hits: readonly Hit[]): Answers {
  const answers: Answers = {};
  for (const name of COUNTED_NAMES) {
    const values = countedOneByOne(hits, name, MAX_VALUES);
    answers[name] = { values, isLimited: '(other)' in values, forgotten: [] };
  }
  return answers;
}

async function rowsIn(table: string): Promise<number> {
  const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE website_id = ?`;
  const [row] = await one.database.query<{ n: number | string }[]>(sql, [websiteId]);
  return Number(row!.n);
}

const stored = async () => [await rowsIn('checkpoints'), await rowsIn('checkpoint_visitors')];

async function places(): Promise<number[]> {
  const rows = await one.database.query<{ first_hit: number }[]>(
    'SELECT first_hit FROM checkpoints WHERE website_id = ? AND piece = 0 ORDER BY first_hit',
    [websiteId],
  );
  return rows.map(({ first_hit }) => first_hit);
}

async function tidy(now: number): Promise<void> {
  for (const table of ['retention', 'leases']) await one.execute(`DELETE FROM ${table}`);
  const settings = new Settings({ STATS_DAYS: '30', ARCHIVE_DAYS: '30' });
  await new Housekeeping(one.database, new RetentionClock(one.database, settings), RETENTION_RULES).tidy(now);
}

describe('a day that goes on is answered as its hits are counted one by one', () => {
  it('by who has kept it, by who has not, and without checkpoints', async () => {
    for (let hits = 0; hits < HITS.length; hits += 2 * HITS_OF_FOLD) {
      await count(HITS.slice(hits, hits + 2 * HITS_OF_FOLD));
      const wanted = expected(HITS.slice(0, hits + 2 * HITS_OF_FOLD));
      expect(await answersOf(other)).toEqual(wanted);
      await one.writeCheckpoints(websiteId);
      expect(await cold()).toEqual(wanted);
      expect(await answersOf(other)).toEqual(wanted);
    }
    expect(await withoutCheckpoints()).toEqual(expected(HITS));
    expect(await places()).toEqual([0, 1000, 2000]);
  });

  it('has values that are taken together from the second checkpoint on', () => {
    const limited = (hits: number) =>
      TEXT_NAMES.filter((name) => '(other)' in countedOneByOne(HITS.slice(0, hits), name, MAX_VALUES));
    expect(limited(HITS_OF_CHECKPOINT)).not.toContain('page');
    expect(limited(2 * HITS_OF_CHECKPOINT)).toEqual(expect.arrayContaining(['page', 'referrer', 'city']));
  });

  it('up to any of its hits, with the checkpoints before', async () => {
    await count(HITS);
    await one.writeCheckpoints(websiteId);
    for (const hits of [999, 1000, 1500, 3000, 3001]) {
      const of = { reader: one.database, websiteId, day: DAY, pause: () => Promise.resolve() };
      const checkpoints = await Checkpoints.find(of, hits, MAX_VALUES);
      expect(checkpoints.hits).toBe(hits - (hits % HITS_OF_CHECKPOINT));
      const counted = new CountedDay(MAX_VALUES);
      await checkpoints.addTo(counted);
      await countOn(of, counted, hits, checkpoints);
      for (const name of TEXT_NAMES) {
        const { texts, sums } = counted.of(name);
        const entries = Array.from(sums.codes(), (code) => [texts.textOf(code), sums.counts[code]]);
        const wanted = countedOneByOne(HITS.slice(0, hits), name, MAX_VALUES);
        expect([hits, name, Object.fromEntries(entries)]).toEqual([hits, name, wanted]);
      }
    }
  });

  it('where another limit of values counts from now on', async () => {
    await count(HITS);
    await one.writeCheckpoints(websiteId);
    const unlimited = await CountingProcess.start(database.url);
    try {
      const { page } = (await answersOf(unlimited)) as Record<string, { values: unknown }>;
      expect(page!.values).toEqual(countedOneByOne(HITS, 'page'));
    } finally {
      await unlimited.stop();
    }
  });
});

it('what is kept of a large day is what came since its last checkpoint', async () => {
  await count(HITS);
  const of = { reader: one.database, websiteId, day: DAY, pause: () => Promise.resolve() };
  const bytes = async () => {
    const checkpoints = await Checkpoints.find(of, HITS.length, MAX_VALUES);
    const counted = new CountedDay(MAX_VALUES);
    await checkpoints.addTo(counted);
    await countOn(of, counted, HITS.length, checkpoints);
    return counted.newHashes().length;
  };
  const before = await bytes();
  await one.writeCheckpoints(websiteId);
  expect(await bytes()).toBeLessThan(before / 3);
});

it('they are removed once their day is in columns', async () => {
  await count(HITS);
  await one.writeCheckpoints(websiteId);
  await one.closeDays(websiteId, DAY + 1);
  expect(await stored()).toEqual([0, 0]);
  const { page } = (await cold()) as Record<string, { values: Record<string, number> }>;
  const total = Object.values(page!.values).reduce((sum, own) => sum + own, 0);
  expect(total).toBe(HITS.filter(({ event }) => event === null).length);
  expect((await one.checkpointWork(websiteId)).work).toBeUndefined();
});

it('their visitors are forgotten with the salt of the day, and they are not used any more', async () => {
  await count(HITS);
  await one.writeCheckpoints(websiteId);
  const kept = one.coldly();
  await answersOf(kept);
  await one.execute('UPDATE checkpoint_visitors SET forget_at = forget_at + 1');
  for (const left of [expect.any(Number), 0]) {
    await tidy(forgottenAt(DAY) + (left === 0 ? HOUR_MS : 0));
    expect([await rowsIn('checkpoint_visitors'), await rowsIn('batch_visitors')]).toEqual([left, 0]);
    expect(await cold()).toEqual(await withoutCheckpoints());
    expect(await answersOf(kept)).toEqual(await cold());
  }
  expect(((await cold()).visitor as { forgotten: number[] }).forgotten).toEqual([DAY]);
  expect((await one.checkpointWork(websiteId)).work).toBeUndefined();
  await tidy(forgottenAt(DAY + 60));
  expect(await stored()).toEqual([0, 0]);
});

it('they go with a website that is deleted', async () => {
  await count(HITS);
  await one.writeCheckpoints(websiteId);
  await one.execute('DELETE FROM websites WHERE id = ?', [websiteId]);
  await one.execute('INSERT INTO deleted_websites (website_id, deleted_at) VALUES (?, 0)', [websiteId]);
  await tidy(Date.now());
  expect(await stored()).toEqual([0, 0]);
});

it('who lost the lease writes nothing, and who has it removes what was not ended', async () => {
  await count(HITS);
  const { work, turn } = await one.checkpointWork(websiteId, 1);
  const writes = jest.fn(turn.write);
  const frozen = work.run({
    ...turn,
    write: async (prepared) => {
      if (writes.mock.calls.length === 3) {
        await other.endLeases();
        expect(await other.folderOf(websiteId)).toBeDefined();
      }
      return writes(prepared);
    },
  });
  await expect(frozen).rejects.toThrow(LeaseLost);
  const left = await stored();
  expect(left[0]! + left[1]!).toBeGreaterThan(0);
  expect(await places()).toEqual([]);
  expect(await cold()).toEqual(expected(HITS));
  await one.writeCheckpoints(websiteId);
  expect(await places()).toEqual([0, 1000, 2000]);
  expect(await cold()).toEqual(expected(HITS));
});

describe.each([
  ['checkpoints', 'data', 0],
  ['checkpoints', 'data', 1],
  ['checkpoint_visitors', 'hashes', 0],
])('a damaged row of %s (%s of piece %i)', (table, column, piece) => {
  const damage = () => flipBit(table, column, piece);

  it('is an error that names it, and is removed by a rebuild', async () => {
    await count(HITS);
    await one.writeCheckpoints(websiteId);
    expect(await verified()).toEqual([]);
    await damage();
    await expect(cold()).rejects.toThrow(DamagedCheckpoint);
    await expect(verified()).rejects.toThrow(DamagedCheckpoint);
    await one.rebuilding().rebuildDay(websiteId, DAY);
    expect(await stored()).toEqual([0, 0]);
    expect(await cold()).toEqual(expected(HITS));
    await one.writeCheckpoints(websiteId);
    expect(await verified()).toEqual([]);
  });

  it('is found whatever limit of values counts from now on', async () => {
    await count(HITS);
    await one.writeCheckpoints(websiteId);
    for (const limit of [LIMITS.newPerDay + 1, 250_000]) expect(await verified(limit)).toEqual([]);
    await damage();
    for (const limit of [LIMITS.newPerDay + 1, 250_000])
      await expect(verified(limit)).rejects.toThrow(DamagedCheckpoint);
  });
});

/** Damages the second checkpoint, or another one. */
async function flipBit(table: string, column: string, piece: number, firstHit = 1000): Promise<void> {
  const where = 'WHERE website_id = ? AND first_hit = ? AND piece = ?';
  const key = [websiteId, firstHit, piece];
  const sql = `SELECT ${column} AS data FROM ${table} ${where}`;
  const [row] = await one.database.query<{ data: Buffer }[]>(sql, key);
  const data = Buffer.from(row!.data);
  data[data.length - 1]! ^= 1;
  await one.execute(`UPDATE ${table} SET ${column} = ? ${where}`, [data, ...key]);
}

const nothing = () => undefined;
const verified = (limit = LIMITS.newPerDay) =>
  one.verification(new Settings({ NEW_VALUES_PER_DAY: String(limit) })).verifyDay(websiteId, DAY, nothing);

/** Does something once the first checkpoint is compared, and the hits of the second one are counted. */
function betweenCheckpoints(change: () => Promise<unknown>): void {
  jest.spyOn(Checkpoints.prototype, 'lookFor').mockImplementationOnce(async function (
    this: Checkpoints,
    ...hashes
  ) {
    await change();
    return this.lookFor(...hashes);
  });
}

describe('while the checkpoints of a day are compared,', () => {
  beforeEach(async () => {
    await count(HITS);
    await one.writeCheckpoints(websiteId);
  });

  it('no read lasts from the first to the last one, so that later damage is found', async () => {
    betweenCheckpoints(() => flipBit('checkpoints', 'data', 1, 2000));
    await expect(verified()).rejects.toThrow(DamagedCheckpoint);
  });

  it('those that are removed are no damage', async () => {
    betweenCheckpoints(() => one.rebuilding().rebuildDay(websiteId, DAY));
    expect(await verified()).toEqual([]);
    expect(await stored()).toEqual([0, 0]);
  });

  it('those whose visitors are forgotten are no damage', async () => {
    betweenCheckpoints(() => one.execute('DELETE FROM checkpoint_visitors'));
    expect(await verified()).toEqual([]);
  });

  it('their day may be sealed', async () => {
    betweenCheckpoints(() => one.closeDays(websiteId, DAY + 1));
    expect(await verified()).toEqual([]);
    expect(await rowsIn('hit_batches')).toBe(0);
  });
});

it('one that says something else than the hits is found', async () => {
  await count(HITS);
  await one.writeCheckpoints(websiteId);
  jest.spyOn(CountedDay.prototype, 'newHashes').mockReturnValue(Buffer.alloc(8));
  await expect(verified()).rejects.toThrow(DamagedCheckpoint);
});

it('they are verified while their day is read once', async () => {
  await count(HITS);
  await one.writeCheckpoints(websiteId);
  const rows = jest.spyOn(Checkpoints.prototype, 'rows');
  expect(await verified()).toEqual([]);
  const reads = (table: string, place: number) =>
    rows.mock.calls.filter(
      ([read, all]) => read === table && (all?.some(({ firstHit }) => firstHit === place) ?? true),
    ).length;
  for (const place of [0, 1000, 2000]) {
    expect(reads('checkpoints', place)).toBe(1);
    expect(reads('checkpoint_visitors', place)).toBeLessThanOrEqual(2);
  }
});

it('are written once no day is sealed, because they take all of the memory for it', async () => {
  await count(HITS);
  const { work, turn } = await one.checkpointWork(websiteId);
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const others = SEALING_MEMORY.takeDuring(SEALING_LIMITS.dayBytes, turn.goOn, () => ended);
  const [goOn, write] = [jest.fn(turn.goOn), jest.fn(turn.write)];
  const written = work.run({ goOn, write });
  await until(() => Promise.resolve(goOn.mock.calls.length > 2));
  expect(write).not.toHaveBeenCalled();
  expect(await stored()).toEqual([0, 0]);
  end();
  await Promise.all([others, written]);
  expect(await places()).toEqual([0]);
});

it('are not written for a day whose counts are too large', async () => {
  await count(HITS);
  const counter = (await one.folderOf(websiteId))!;
  const days = { from: 0, maxValues: MAX_VALUES };
  const next = async () => {
    const work = await counter.nextCheckpoint(days);
    await work?.run(one.turnOf(counter.lease));
    if (work) counter.endColumns(work);
    return work;
  };
  expect(await next()).toBeDefined();
  jest.replaceProperty(CHECKPOINTS, 'countedBytes', 1);
  expect(await next()).toMatchObject({ isTooLarge: true });
  expect(await next()).toBeUndefined();
  expect(await places()).toEqual([0]);
  expect(await cold()).toEqual(expected(HITS));
  await counter.lease.release();
});

it('are not written for a day that is sealed now', async () => {
  await count(HITS);
  expect((await one.checkpointWork(websiteId, undefined, DAY + 1)).work).toBeUndefined();
  expect((await one.checkpointWork(websiteId, undefined, DAY)).work).toBeDefined();
});

it('a process that counts writes those of today', async () => {
  const counting = await CountingProcess.start(database.url);
  const runs = jest.spyOn(CheckpointWork.prototype, 'run');
  try {
    const past = HITS.slice(0, HITS_OF_CHECKPOINT).map((hit) => ({ ...hit, day: TODAY - 2 }));
    for (const some of inChunks([...past, ...ofToday(HITS)], HITS_OF_FOLD))
      await one.accept(websiteId, ...some);
    await one.endLeases();
    counting.counting.start();
    await until(async () => (await places()).length === 3);
    expect(runs.mock.contexts.filter((work) => work.key.websiteId === websiteId)).toHaveLength(3);
  } finally {
    await counting.counting.stop();
    await counting.stop();
  }
});

it('a process that starts writes those of a day that gets no more hits', async () => {
  await count(ofToday(HITS));
  const starting = await CountingProcess.start(database.url);
  try {
    await one.endLeases();
    starting.counting.start();
    await until(async () => (await places()).length === 3);
  } finally {
    await starting.counting.stop();
    await starting.stop();
  }
});

it('a process that starts counts events while it looks for days that get no more', async () => {
  const starting = await CountingProcess.start(database.url);
  const query = starting.database.query.bind(starting.database);
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const look = jest.spyOn(starting.database, 'query').mockImplementation(async (sql, parameters) => {
    if (sql.includes('MAX(website_id) AS last')) await held;
    return query(sql, parameters);
  });
  try {
    await one.endLeases();
    starting.counting.start();
    await until(() => look.mock.calls.some(([sql]) => sql.includes('MAX(website_id) AS last')));
    await one.accept(websiteId, hitOf(1));
    await until(async () => (await one.database.query<unknown[]>('SELECT id FROM inbox')).length === 0);
  } finally {
    goOn();
    await starting.counting.stop();
    await starting.stop();
  }
});
