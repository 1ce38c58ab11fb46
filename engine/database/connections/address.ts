export interface Tls {
  /** Certificates in PEM. Undefined for the CAs that Node.js trusts. */
  ca: string | undefined;
  /** Tells whether the certificate must match the host of the address. */
  verifyHost: boolean;
}

export interface MysqlAddress {
  kind: 'mysql';
  host: string;
  port: number;
  user: string;
  password: string;
  name: string;
  /** Undefined if the connection is not encrypted. */
  tls: Tls | undefined;
  readers: number;
  writers: number;
}

export interface SqliteAddress {
  kind: 'sqlite';
  path: string;
}

export type DatabaseAddress = MysqlAddress | SqliteAddress;
