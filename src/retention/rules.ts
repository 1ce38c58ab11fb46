import type { EntityManager } from 'typeorm';
import type { Settings } from '../config/settings';
import type { Database } from '../database/database';

/** What the clock says to those who decide what has had its time. */
export interface Moments {
  /** By the database's clock, also where it jumped. */
  now: number;
  /**
   * The same, but for a clock that jumped: then the moment of the last run, until an operator confirms. It is for what
   * nobody could restore, the statistics and the archive; all else would grow without end.
   */
  trusted: number;
  settings: Settings;
  /** The day of a moment, in the service's time zone. */
  dayOf: (moment: number) => number;
  /** The moment at which a day is over. */
  endOf: (day: number) => number;
}

/** A condition with its parameters. */
export interface Condition {
  sql: string;
  parameters: unknown[];
}

/** A change of the rows of some websites, like `counting SET token = token + 1`. */
export interface WebsiteUpdate {
  update: string;
  parameters: unknown[];
  where?: Condition;
}

export interface RewrittenWebsite {
  websiteId: number;
  moments: Moments;
  /** To be asked between pieces of work; false where it is to end. */
  goOn: () => Promise<boolean>;
  /** A transaction that fails where another process does the work by now. */
  write: (work: (manager: EntityManager) => Promise<void>) => Promise<void>;
}

/** False where it did not come to its end. */
export type Rewrite = (database: Database, website: RewrittenWebsite) => Promise<boolean>;

/** A rule by which rows have had their time. */
export interface Expiry {
  /** What was done is remembered under this name. */
  name: string;
  /** A day or a moment; rows below the limit are removed. */
  column: string;
  /** The columns of an index, in which order rows are removed. Where it begins with the website, so does the work. */
  order: string;
  /** Undefined where nothing expires. It changes seldom: what was done up to a limit is not looked at again. */
  limit: (moments: Moments) => number | undefined;
  /** The websites with something due, as rows of `counting`, where the column does not say it. */
  due?: (moments: Moments) => Condition;
  /** Changes rows of a website instead of removing them. */
  rewrite?: Rewrite;
  /** The websites, as rows of `counting`, whose rows have to wait. */
  waits?: (limit: number, moments: Moments) => Condition;
  /** What is changed of the websites that wait, so that they do not for long. */
  whileWaiting?: WebsiteUpdate[];
  /** What is changed of the websites in each transaction that removes rows of theirs, before it does. */
  first?: (limit: number) => WebsiteUpdate[];
  /** What was removed must not be found in the files of the database either. */
  leavesNoTrace?: boolean;
  /** It waits for no other removal: visitors were promised it. */
  isUrgent?: boolean;
}

/** A table whose rows are removed in the background. */
export interface RetentionRule {
  table: string;
  /** The primary key. Where it begins with `website_id`, rows are removed together with their website. */
  key: string;
  /** How large a row may be, where it is large; fewer of them are removed at once. */
  maxRowBytes?: number;
  /** Rows of many websites are removed at once by the sizes of this column, where an expiry is not of a website. */
  bytesColumn?: string;
  expiries?: Expiry[];
}

export function isOfWebsite(order: string): boolean {
  return order.startsWith('website_id');
}
