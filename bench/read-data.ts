import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { archivedDays, archivedHits } from '../src/counting/archive';
import type { Database } from '../src/database/database';
import { DIMENSIONS, type StatName } from '../src/stats/dimensions';
import { ROOT } from './service';

export const SIZES = { 'one.example': 1_000_000, 'ten.example': 10_000_000 } as const;
/** The names for which the same is asked of plain rows. */
export const GROUPED = ['page', 'city', 'browser'] as const satisfies StatName[];
/** What was filled stays here from run to run. */
export const KEPT = join(ROOT, 'bench/data');
const DAYS = 365;

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
  if (!site) throw new Error(`${domain} was not filled; remove ${KEPT} and begin anew`);
  return site;
}

/** A website that was filled to its end. */
async function siteOf(database: Database, domain: Domain): Promise<Site | undefined> {
  const [row] = await database.read((manager) =>
    manager.query<{ id: number; hits: unknown; last: number }[]>(
      `SELECT websites.id AS id, SUM(archive.size) AS hits, MAX(archive.day) AS last
      FROM websites INNER JOIN archive ON archive.website_id = websites.id
      WHERE websites.domain = ? GROUP BY websites.id`,
      [domain],
    ),
  );
  return row && Number(row.hits) === SIZES[domain]
    ? { id: Number(row.id), domain, lastDay: row.last }
    : undefined;
}

/** The same events as plain rows with their best indexes, for the floor. */
export async function copyHits(database: Database, sites: Site[]): Promise<void> {
  const { dialect } = database;
  const columns = GROUPED.map((name) => `${name} INTEGER NULL`).join(', ');
  await database.write((manager) =>
    manager.query(
      `CREATE TABLE IF NOT EXISTS bench_hits (id ${dialect.columns.id}, website_id ${dialect.columns.bigint} NOT NULL, day INTEGER NOT NULL, ${columns})`,
    ),
  );
  for (const { id } of sites) {
    const [done] = await database.read((manager) =>
      manager.query<{ hits: unknown }[]>('SELECT COUNT(*) AS hits FROM bench_hits WHERE website_id = ?', [
        id,
      ]),
    );
    if (Number(done!.hits) > 0) continue;
    process.stderr.write(`copying the events of website ${id}\n`);
    const ids = await dictionaryOf(database, id);
    for (const { day } of await database.read((manager) => archivedDays(manager, id)))
      await copyDay(database, id, day, ids);
  }
  for (const name of GROUPED)
    await database.writer
      .query(`CREATE INDEX bench_hits_${name} ON bench_hits (website_id, day, ${name})`)
      .catch(() => undefined);
}

async function dictionaryOf(database: Database, websiteId: number): Promise<Map<string, number>> {
  const rows = await database.read((manager) =>
    manager.query<{ name: number; value: Buffer; value_id: number }[]>(
      'SELECT name, value, value_id FROM stat_values WHERE website_id = ?',
      [websiteId],
    ),
  );
  return new Map(rows.map(({ name, value, value_id }) => [`${name} ${value.toString()}`, value_id]));
}

async function copyDay(
  database: Database,
  websiteId: number,
  day: number,
  ids: Map<string, number>,
): Promise<void> {
  const idOf = (name: StatName, value: string) => ids.get(`${DIMENSIONS[name].code} ${value}`)!;
  const visitors = new Set<string>();
  const rows: (number | string)[] = [];
  await database.read(async (manager) => {
    for await (const hits of archivedHits(manager, websiteId, day))
      for (const { visitor, event, page, city, browser } of hits) {
        const isFirst = !visitors.has(visitor);
        visitors.add(visitor);
        const ofFirst = isFirst ? `${idOf('city', city)}, ${idOf('browser', browser)}` : 'NULL, NULL';
        rows.push(`(${websiteId}, ${day}, ${event === null ? idOf('page', page) : 'NULL'}, ${ofFirst})`);
      }
  }, 60_000);
  for (let from = 0; from < rows.length; from += 10_000)
    await database.write((manager) =>
      manager.query(
        `INSERT INTO bench_hits (website_id, day, ${GROUPED.join(', ')}) VALUES ${rows.slice(from, from + 10_000).join()}`,
      ),
    );
}
