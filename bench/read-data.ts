import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Database } from '../engine/database/database';
import type { EntityDatabase } from '../src/database/entity-database';
import { insertRows } from '../engine/database/rows';
import type { StatName } from '../engine/hits/stat-names';
import { readHitsFrom, type HitsOfDay, readDays } from '../engine/columns/stored-days';
import { ROOT } from './service';

export const SIZES = {
  'one.example': 1_000_000,
  'ten.example': 10_000_000,
  'small.example': 109_500,
  'tiny.example': 3650,
} as const;
/** The names that are also queried from plain rows. */
export const GROUPED = ['page', 'city', 'browser'] as const satisfies StatName[];
/** Data for all runs. */
export const KEPT = join(ROOT, 'bench/data');
export const DAYS = 365;

type Domain = keyof typeof SIZES;
export interface Site {
  id: number;
  domain: Domain;
  lastDay: number;
}

export function command(environment: NodeJS.ProcessEnv, ...words: string[]): string {
  const file = join(ROOT, 'dist/src/cli.js');
  return execFileSync(process.execPath, [file, ...words], { env: environment }).toString();
}

export async function filled(database: Database, environment: NodeJS.ProcessEnv): Promise<Site[]> {
  const [user] = await database.read((manager) => manager.query<object[]>('SELECT id FROM users LIMIT 1'));
  if (!user) command(environment, 'user', 'create', 'bench@example.com');
  const sites: Site[] = [];
  for (const domain of Object.keys(SIZES) as Domain[])
    sites.push((await siteOf(database, domain)) ?? (await fill(database, environment, domain)));
  return sites;
}

async function fill(database: Database, environment: NodeJS.ProcessEnv, domain: Domain): Promise<Site> {
  const words = ['demo', '--domain', domain, '--events', String(SIZES[domain]), '--days', String(DAYS)];
  const demo = spawn(process.execPath, [join(ROOT, 'dist/src/cli.js'), ...words], {
    env: environment,
    stdio: 'inherit',
  });
  await once(demo, 'exit');
  const site = await siteOf(database, domain);
  if (!site) throw new Error(`${domain} was not filled completely; remove ${KEPT} and start again`);
  return site;
}

/** A completely filled website. */
async function siteOf(database: Database, domain: Domain): Promise<Site | undefined> {
  return database.read(async (manager) => {
    const [website] = await manager.query<{ id: number | string }[]>(
      'SELECT id FROM websites WHERE domain = ?',
      [domain],
    );
    if (!website) return undefined;
    const id = Number(website.id);
    const days = await readDays(manager, id);
    const total = days.reduce((sum, { hits }) => sum + hits, 0);
    return total === SIZES[domain] ? { id, domain, lastDay: days.at(-1)!.day } : undefined;
  });
}

/** The same events as rows of a plain table, with the best index for each query, for comparison. */
export async function copyHits(database: EntityDatabase, sites: Site[]): Promise<void> {
  const { columns, tableOptions } = database.dialect;
  const texts = GROUPED.map((name) => `${name} ${columns.text(255)} NULL`).join(', ');
  await database.write((manager) =>
    manager.query(
      `CREATE TABLE IF NOT EXISTS bench_hits (id ${columns.id}, website_id ${columns.bigint} NOT NULL, day INTEGER NOT NULL, ${texts}) ${tableOptions('by rowid')}`,
    ),
  );
  for (const { id } of sites) await copyDays(database, id);
  for (const name of GROUPED)
    await database.writer
      .query(`CREATE INDEX bench_hits_${name} ON bench_hits (website_id, day, ${name})`)
      .catch(() => undefined);
}

/** Continues after an interruption. */
async function copyDays(database: Database, websiteId: number): Promise<void> {
  const [copied] = await database.read(
    (manager) =>
      manager.query<{ last: number | null }[]>(
        'SELECT MAX(day) AS last FROM bench_hits WHERE website_id = ?',
        [websiteId],
      ),
    60_000,
  );
  const days = await database.read((manager) => readDays(manager, websiteId));
  const left = days.filter(({ day }) => day > (copied?.last ?? 0));
  for (const [index, day] of left.entries()) {
    if (index % 50 === 0) process.stderr.write(`copying website ${websiteId}, ${left.length - index} days\n`);
    await copyDay(database, websiteId, day);
  }
}

async function copyDay(database: Database, websiteId: number, day: HitsOfDay): Promise<void> {
  const visitors = new Set<string>();
  const rows = await database.read(async (manager) => {
    const read: unknown[][] = [];
    for await (const { hits } of readHitsFrom((work) => work(manager), websiteId, day))
      for (const { visitor, event, page, city, browser } of hits) {
        const ofFirst = visitors.has(visitor) ? [null, null] : [city, browser];
        visitors.add(visitor);
        read.push([websiteId, day.day, event === null ? page : null, ...ofFirst]);
      }
    return read;
  });
  const columns = ['website_id', 'day', ...GROUPED];
  await database.write((manager) => insertRows(manager, 'bench_hits', columns, rows), 60_000);
}
