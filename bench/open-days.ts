import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createConnection } from 'mysql2/promise';
import { DAY_MS, dayText } from '../engine/ground/time/days';
import { inChunks, insertAll } from '../engine/database/rows';
import { batchInsertions } from '../engine/columns/batches/batches';
import { CountingProcess } from '../test/support/counting';
import { DatabaseServer } from '../test/support/database-server';
import { at } from './asking';
import { BATCH_HITS, newBatches, stateOfOpenDay } from './new-batches';
import { engine, machine, milepost, record, residentMiB, type Server, table } from './service';
import { hitsOf } from './year-of-hits';

const KEY = 'the-key-of-the-benchmark-of-open-days';
const WEBSITES = 200;
/** Just too few for a checkpoint, so that all of them are counted at first. */
const HITS = 99_999;
const NAMES = ['page', 'browser', 'pageview'];
const TURNS = 3;
const TODAY = Math.floor(Date.now() / DAY_MS);

/** Websites whose days are all open, and more of them than the caches hold, queried in turn. */
async function measure(url: string): Promise<void> {
  await fill(url);
  const service = await milepost({ DATABASE_URL: url, BOOTSTRAP_API_KEY: KEY });
  try {
    const rows: (string | number)[][] = [];
    for (const name of NAMES)
      for (let turn = 1; turn <= TURNS; turn++) {
        const times: number[] = [];
        for (let id = 1; id <= WEBSITES; id++) times.push(await timed(service, id, name));
        rows.push([name, turn, at(times, 0.5), at(times, 0.99), at(times, 1)]);
      }
    record(
      `open-days-${engine()}`,
      [
        `${machine()} Load average: ${loadavg()[0]!.toFixed(0)}. ${WEBSITES} websites with ${HITS.toLocaleString('en')} ` +
          `hits today each, one after the other; the service took ${residentMiB(service).toFixed(0)} MiB.`,
        '',
        table(['ten entries of', 'turn', 'median ms', 'p99 ms', 'max ms'], rows),
      ].join('\n'),
    );
  } finally {
    service.process.kill('SIGKILL');
  }
}

/** All websites have the same hits, in batches of their own. */
async function fill(url: string): Promise<void> {
  const one = await CountingProcess.start(url);
  const hits = hitsOf(TODAY, HITS).sort((first, second) => first.at - second.at);
  const forgetAt = Date.now() + DAY_MS;
  for (let websiteId = 1; websiteId <= WEBSITES; websiteId++) {
    await one.register(websiteId);
    const batches = await newBatches({ websiteId, day: TODAY, forgetAt }, inChunks(hits, BATCH_HITS));
    for (const batch of batches)
      await one.database.write((manager) => insertAll(manager, batchInsertions([batch])));
  }
  const ids = Array.from({ length: WEBSITES }, (_, index) => index + 1);
  await one.database.write((manager) => insertAll(manager, stateOfOpenDay(ids, TODAY)));
  await one.stop();
}

async function timed({ address }: Server, id: number, name: string): Promise<number> {
  const today = dayText(TODAY);
  const since = performance.now();
  const answer = await fetch(`${address}/api/v1/stats/${id}?name=${name}&from=${today}&to=${today}`, {
    headers: { Authorization: `Bearer ${KEY}`, Accept: 'application/json' },
  });
  const { meta } = (await answer.json()) as { meta: { sum: number } };
  if (meta.sum === 0) throw new Error('the day has no hits');
  return performance.now() - since;
}

async function onServer(): Promise<void> {
  const server = await new DatabaseServer(undefined, ['--innodb-buffer-pool-size=512M']).start();
  try {
    const admin = await createConnection(server.url);
    await admin.query('CREATE DATABASE bench');
    await admin.end();
    await measure(`${server.url}bench`);
  } finally {
    await server.remove();
  }
}

async function onSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-bench-'));
  try {
    await measure(`sqlite:${folder}/bench.sqlite`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

void (engine() !== 'sqlite' ? onServer() : onSqlite());
