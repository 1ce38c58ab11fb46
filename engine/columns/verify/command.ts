import type { Database } from '../../database/database';
import type { HitSettings } from '../../database/hit-settings';
import type { RetentionClock } from '../../database/retention-clock';
import type { CountsInSql } from './verification';

/** What the commands of a store work with. */
export interface Tools {
  readonly database: Database;
  readonly clock: RetentionClock;
  readonly settings: HitSettings;
  /** Counts days in SQL. */
  readonly inSql: CountsInSql;
}

/** What the commands may be asked for. */
export interface Options {
  /** Leaves out days before it. */
  readonly from: number;
  /** Tells whether days are also counted in SQL. */
  readonly inSql: boolean;
  /** Tells whether days are brought back. */
  readonly back: boolean;
  /** Tells whether days that are brought back are given up if their rows are lost. */
  readonly giveUp: boolean;
  /** Tells whether a table that another database has used, or that was restored, is ours from now on. */
  readonly adopt: boolean;
}

/** A website whose statistics are checked. */
export interface CheckedWebsite {
  readonly id: number;
  readonly domain: string;
}

/** A command that the store offers, for some websites. */
export interface StoreCommand {
  readonly group: 'stats' | 'hits';
  readonly name: string;
  readonly description: string;
  /** What it may be asked for, besides a website. */
  readonly options: readonly (keyof Options)[];
  readonly run: (tools: Tools, websites: readonly CheckedWebsite[], options: Options) => Promise<void>;
}
