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
  /** Where the old days of websites with a number of hits move. Undefined if all stay in columns. */
  moves: Moves | undefined;
}

export interface Moves {
  from: number;
  /** Undefined if they become rows of the service's own database. */
  home: ClickhouseAddress | undefined;
}

/** What tells a home from others. */
export interface HomeAddress {
  readonly kind: 'clickhouse';
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly table: string;
}

export interface ClickhouseAddress extends HomeAddress {
  readonly tls: boolean;
  readonly user: string;
  readonly password: string;
}
