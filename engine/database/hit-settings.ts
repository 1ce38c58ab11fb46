import type { DatabaseAddress } from './connections/address';

/** What an operator decides about hits. */
export interface HitSettings {
  database: DatabaseAddress;
  timezone: string;
  /** Of all caches together. */
  cacheMb: number;
  newValuesPerDay: number;
  /** How long hits are kept. Undefined for ever. */
  archiveDays: number | undefined;
  /** How long numbers are kept. Undefined for ever. */
  statsDays: number | undefined;
  /** The number of hits from which the old days of a website are kept as rows. Undefined if all stay in columns. */
  moves: { from: number } | undefined;
}
