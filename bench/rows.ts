import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QueryAnswering } from '../engine/columns/answering/query-answering';
import { ColumnCache } from '../engine/columns/read/column-cache';
import { DAY_MS } from '../engine/ground/time/days';
import { Zone } from '../engine/questions/plan/buckets';
import { filterOf, type ResolvedFilter } from '../engine/questions/parse/filter';
import type { HitQuery } from '../engine/questions/plan/hit-query';
import { inChunks } from '../engine/database/rows';
import { CountingProcess, rolledUpBefore } from '../test/support/counting';
import { ownerAsks } from '../test/support/owner-asks';
import { record, table } from './service';
import { withStatements } from '../src/stats/dimensions/hit-aggregation';
import { hitsOf } from './year-of-hits';

const WEBSITE = 1;
const SIZES = (process.env.HITS ?? '10,300,3000').split(',').map(Number);
const DAYS = Number(process.env.DAYS ?? 100);
const TURNS = 25;
const TODAY = Math.floor(Date.now() / DAY_MS);
const LAST_DAY = TODAY - 4;
const FIRST_DAY = LAST_DAY - DAYS + 1;
/** In one part of the columns of many days. */
const FOLDED = 20_000;
const FILTERS: ResolvedFilter[] = [
  ['is', 'country', ['DE']],
  ['is', 'device', ['mobile']],
];
const FLOOR = `SELECT page, COUNT(*) AS hits FROM hits WHERE website = ${WEBSITE} AND event IS NULL AND country = 'DE'
  AND device = 'mobile' AND day BETWEEN ${FIRST_DAY} AND ${LAST_DAY} GROUP BY page ORDER BY hits DESC LIMIT 10`;

const HIT_QUERY: HitQuery = {
  range: { days: { from: FIRST_DAY, to: LAST_DAY } },
  previous: undefined,
  filter: filterOf(FILTERS),
  dimensions: ['page'],
  metrics: ['pageviews'],
  fill: false,
  order: [{ by: { metric: 'pageviews' }, direction: 'desc' }],
  skip: 0,
  take: 10,
};

/** The fastest of some turns, without anything cached. */
async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  let fastest = Infinity;
  for (let turn = 0; turn < TURNS; turn++) {
    const since = performance.now();
    await work();
    fastest = Math.min(fastest, performance.now() - since);
  }
  return fastest;
}

async function bytesOf({ database }: CountingProcess, file: string): Promise<number> {
  await database.writer.query('VACUUM');
  await database.writer.query('PRAGMA wal_checkpoint(TRUNCATE)');
  return statSync(file).size;
}

async function measure(hitsOfDay: number, file: string): Promise<(string | number)[]> {
  const one = await CountingProcess.start(`sqlite:${file}`);
  await one.register(WEBSITE);
  const empty = await bytesOf(one, file);
  let waiting: ReturnType<typeof hitsOf> = [];
  for (let day = FIRST_DAY; day <= LAST_DAY; day++) {
    waiting = waiting.concat(hitsOf(day, hitsOfDay).map((hit) => ({ ...hit, visitor: '' })));
    if (waiting.length < FOLDED && day < LAST_DAY) continue;
    for (const some of inChunks(waiting, FOLDED)) await one.count(WEBSITE, some);
    waiting = [];
  }
  await one.rollUpDays(WEBSITE, LAST_DAY + 1);
  const zone = new Zone('UTC');
  const ask = async () => {
    const hitQueries = [withStatements(one.database.writer, HIT_QUERY, zone)];
    const request = { asker: ownerAsks(1), websiteId: WEBSITE, statsFrom: 0, hitQueries };
    const answering = new QueryAnswering(one.database, new ColumnCache(), zone);
    return answering.answer(request, 60_000, () => undefined);
  };
  const inColumns = await milliseconds(ask);
  const columnBytes = (await bytesOf(one, file)) - empty;
  const [since, processor] = [performance.now(), process.cpuUsage()];
  await one.makeDue(WEBSITE);
  await one.workOnColumns(WEBSITE, { ...rolledUpBefore(LAST_DAY + 1), moves: { from: 0, home: undefined } });
  const [moved, used] = [performance.now() - since, process.cpuUsage(processor)];
  await one.makeDue(WEBSITE);
  await one.workOnColumns(WEBSITE, { ...rolledUpBefore(LAST_DAY + 1), moves: { from: 0, home: undefined } });
  const rowBytes = (await bytesOf(one, file)) - empty;
  const inRows = await milliseconds(ask);
  const floor = await milliseconds(() => one.database.read((reader) => reader.query(FLOOR)));
  await one.stop();
  const hits = hitsOfDay * DAYS;
  return [
    hitsOfDay,
    hits,
    (columnBytes / hits).toFixed(0),
    (rowBytes / hits).toFixed(0),
    inColumns.toFixed(1),
    inRows.toFixed(1),
    floor.toFixed(1),
    (inRows / floor).toFixed(1),
    ((1000 * moved) / hits).toFixed(0),
    ((used.user + used.system) / hits).toFixed(0),
  ];
}

const HEAD = [
  'hits a day',
  'hits',
  'bytes a hit, columns and rollups',
  'rows and rollups',
  'filtered pages, columns, ms',
  'rows, ms',
  'the same counted by SQL, ms',
  'rows × SQL',
  'moving, µs a hit',
  'of the processor',
];

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-rows-'));
  try {
    const rows = [];
    for (const size of SIZES) {
      process.stderr.write(`${size} hits a day\n`);
      rows.push(await measure(size, join(folder, `${size}.sqlite`)));
    }
    record('rows-sqlite', `On SQLite, ${DAYS} days of each website.\n\n${table(HEAD, rows)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void run();
