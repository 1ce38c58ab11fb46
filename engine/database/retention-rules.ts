import type { Database } from './database';
import type { SqlCondition, Transaction } from './rows';
import type { HitSettings } from './hit-settings';

/** The times by which rules decide what has expired. */
export interface Moments {
  /** The database's time, even after a jump. */
  now: number;
  /**
   * The same, but after a jump the time of the last run, until an operator confirms. Statistics and hits expire by it,
   * because they cannot be restored. Everything else expires by `now`, so that it does not grow without end.
   */
  trusted: number;
  settings: HitSettings;
  /** The day of a moment, in the service's time zone. */
  dayOf: (moment: number) => number;
  /** The moment at which a day ends. */
  endOf: (day: number) => number;
}

/** A change to the rows of some websites, like `counting SET token = token + 1`. */
export interface WebsiteUpdate {
  update: string;
  parameters: unknown[];
  where?: SqlCondition;
}

export interface RewrittenWebsite {
  websiteId: number;
  moments: Moments;
  /** Call between steps; false if the work must end. */
  goOn: () => Promise<boolean>;
  /** Runs a transaction. It fails if another process has taken over the work. */
  write: (work: (manager: Transaction) => Promise<void>) => Promise<void>;
}

/** False if the work was not completed. */
export type Rewrite = (database: Database, website: RewrittenWebsite) => Promise<boolean>;

/** A rule by which rows expire. */
export interface Expiry {
  /** The rule's progress is stored under this name. */
  name: string;
  /** A day or a moment; rows below the limit are removed. */
  column: string;
  /** The columns of an index; rows are removed in its order. If it begins with the website, so does the work. */
  order: string;
  /** Undefined if nothing expires. It must change rarely: rows below a completed limit are not searched again. */
  limit: (moments: Moments) => number | undefined;
  /** The due websites, as rows of `counting`, if `column` alone does not determine them. */
  due?: (moments: Moments) => SqlCondition;
  /** Changes a website's rows instead of removing them. */
  rewrite?: Rewrite;
  /** The websites, as rows of `counting`, whose rows must wait. */
  waits?: (limit: number, moments: Moments) => SqlCondition;
  /** Updates for waiting websites, so that they do not wait for long. */
  whileWaiting?: WebsiteUpdate[];
  /** Updates for the websites in each transaction that removes their rows, before it does. */
  first?: (limit: number) => WebsiteUpdate[];
  /** Removed rows must not remain in the database's files either. */
  leavesNoTrace?: boolean;
  /** It never waits for other removals, because visitors were promised it; a rewrite waits for those without one. */
  isUrgent?: boolean;
}

/** A table whose rows are removed in the background. */
export interface RetentionRule {
  table: string;
  /** The primary key. If it begins with the id of a website, rows are removed together with their website. */
  key: string;
  /** The maximum size, if rows are large; fewer of them are removed at once. */
  maxRowBytes?: number;
  /** If an expiry is not by website, rows of many websites are removed at once, limited by the size of this column. */
  bytesColumn?: string;
  expiries?: Expiry[];
}

export function isOfWebsite(order: string): boolean {
  return order.startsWith('website');
}

/** The column with the id of the website. */
export function websiteIn(key: string): string {
  return key.split(',', 1)[0]!;
}

/** A statement that finds the due websites, and which of them must wait. A website has one row, so others cost nothing. */
export function dueWebsites(
  { table, key }: RetentionRule,
  { column, waits, due }: Expiry,
  limit: number,
  moments: Moments,
): SqlCondition {
  const waiting = waits?.(limit, moments) ?? { sql: '0', parameters: [] };
  const isDue = due?.(moments) ?? oldestBelow(table, websiteIn(key), column, limit);
  return {
    sql: `SELECT website_id, CASE WHEN ${waiting.sql} THEN 1 ELSE 0 END AS waits FROM counting WHERE ${isDue.sql}`,
    parameters: [...waiting.parameters, ...isDue.parameters],
  };
}

/**
 * Tells whether a website (a row of `counting`) has a row below a limit in a table. MySQL would sort all of its rows if the
 * order did not begin like the index.
 */
function oldestBelow(table: string, website: string, column: string, limit: number): SqlCondition {
  return {
    sql: `(SELECT own.${column} FROM ${table} own WHERE own.${website} = counting.website_id
      ORDER BY own.${website}, own.${column} LIMIT 1) < ?`,
    parameters: [limit],
  };
}
