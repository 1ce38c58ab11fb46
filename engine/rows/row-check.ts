import type { Database } from '../database/database';
import { insertRows, type Queryable, type Transaction } from '../database/rows';
import {
  OPTIONAL_NUMBERS,
  OTHER_TEXTS,
  PROPERTY_COLUMNS,
  ROW_COLUMNS,
  TEXTS as TEXT_COLUMNS,
} from './row-tables';

/** No website has this id, and no day this version. */
const SCRATCH = 'website = 0 AND day = 0 AND version = 0';
/** In the order of their bytes. Each is a text of its own. */
const TEXTS = ['B', 'a', 'a ', 'b', 'ss', 'ß', 'ä', '\ufffd', '𝄞'];
const LONG = 'x'.repeat(100_000);
/** More than a number may be. */
const LARGE = '9007199254740993';

const OPTIONAL = new Set<string>([...OPTIONAL_NUMBERS, ...TEXT_COLUMNS, ...OTHER_TEXTS]);

interface Construct {
  readonly name: string;
  /** Its result has a row for each value. */
  readonly sql: string;
  readonly expected: readonly string[];
}

const CONSTRUCTS: readonly Construct[] = [
  {
    name: 'the order of texts by their bytes',
    sql: `SELECT page AS value FROM hits WHERE ${SCRATCH} ORDER BY page`,
    expected: TEXTS,
  },
  {
    name: 'the equality of texts by their bytes',
    sql: `SELECT COUNT(*) AS value FROM (SELECT DISTINCT day, page FROM hits WHERE ${SCRATCH}) counted`,
    expected: [String(TEXTS.length)],
  },
  {
    name: 'long texts',
    sql: `SELECT title AS value FROM hits WHERE ${SCRATCH} AND visitor = 1`,
    expected: [LONG],
  },
  {
    name: 'sums that exceed a number',
    sql: `SELECT CAST(SUM(COALESCE(value_high, 0)) AS CHAR) AS value FROM hits WHERE ${SCRATCH}`,
    expected: [LARGE],
  },
  {
    name: 'pages of groups',
    sql: `SELECT page AS value FROM hits WHERE ${SCRATCH} GROUP BY value ORDER BY value LIMIT 2 OFFSET 3`,
    expected: TEXTS.slice(3, 5),
  },
  {
    name: 'visitors in a subquery',
    sql: `SELECT COUNT(*) AS value FROM hits WHERE ${SCRATCH} AND (day, visitor) NOT IN (
      SELECT own.day, own.visitor FROM hits own WHERE own.website = 0 AND own.day = 0 AND own.version = 0 AND own.page = 'a')`,
    expected: [String(TEXTS.length - 1)],
  },
  {
    name: 'the values of visitors in a join',
    sql: `SELECT brought.value AS value FROM hits LEFT JOIN (
      SELECT own.day, own.visitor, own.page AS value FROM hits own WHERE own.website = 0 AND own.page = 'a '
      UNION SELECT own.day, own.visitor, own.title AS value FROM hits own WHERE own.website = 0 AND own.page = 'B'
    ) brought ON brought.day = hits.day AND brought.visitor = hits.visitor
    WHERE hits.website = 0 AND hits.day = 0 AND hits.version = 0 AND hits.page = 'a '`,
    expected: ['a '],
  },
  {
    name: 'properties in a subquery',
    sql: `SELECT (SELECT property.value FROM hit_properties property WHERE property.name = 'plan'
      AND property.website = hits.website AND property.visitor = hits.visitor) AS value
    FROM hits WHERE ${SCRATCH} AND visitor = 1`,
    expected: ['pro'],
  },
  {
    name: 'functions of texts',
    sql: `SELECT CONCAT(SUBSTR('Köln, NW, DE', INSTR('Köln, NW, DE', ', ') + 2), ' ', SUBSTR('abc', -2, 1)) AS value`,
    expected: ['NW, DE b'],
  },
];

/** It ends the transaction without a trace. */
class Undone extends Error {}

/** What the database does not do as rows need it, by name. Writes some rows, and undoes that. */
export async function problemsOfRows(database: Database): Promise<string[]> {
  let problems: string[] = [];
  try {
    await database.write(async (tx) => {
      problems = await problemsIn(tx, (error) => database.dialect.meaningOf(error) === 'ours');
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  return problems;
}

async function problemsIn(tx: Transaction, isOurs: (error: unknown) => boolean): Promise<string[]> {
  const missing = await messageOf(() => writeScratch(tx), isOurs);
  if (missing !== undefined) return [`the tables hits and hit_properties (${missing})`];
  const problems: string[] = [];
  for (const { name, sql, expected } of CONSTRUCTS) {
    let found: string[] = [];
    const message = await messageOf(async () => {
      found = await valuesOf(tx, sql);
    }, isOurs);
    if (message !== undefined) problems.push(`${name} (${message})`);
    else if (found.join('\n') !== expected.join('\n')) problems.push(name);
  }
  return problems;
}

async function writeScratch(tx: Transaction): Promise<void> {
  const rows = TEXTS.map((page, visitor) => {
    const own: Record<string, string | number> = { visitor, page, title: visitor === 1 ? LONG : page };
    if (visitor === 1) own.value_high = LARGE;
    return ROW_COLUMNS.map((name) => own[name] ?? (OPTIONAL.has(name) ? null : 0));
  });
  await insertRows(tx, 'hits', ROW_COLUMNS, rows.reverse());
  await insertRows(tx, 'hit_properties', PROPERTY_COLUMNS, [[0, 0, 0, 1, 0, 'plan', 'pro']]);
}

async function valuesOf(reader: Queryable, sql: string): Promise<string[]> {
  return (await reader.query<{ value: unknown }[]>(sql)).map(({ value }) => String(value));
}

/** A conflict or a lost connection says nothing about what the database does, so the transaction is repeated. */
async function messageOf(
  work: () => Promise<void>,
  isOurs: (error: unknown) => boolean,
): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!isOurs(error)) throw error;
    return (error as Error).message;
  }
}
