import type { ClickhouseAddress } from '../../engine/database/hit-settings';

const PORTS = { plain: 8123, tls: 8443 };
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** The text itself may have a password, so no message has it. */
const FORM = 'is neither "rows" nor an address like clickhouse://user:password@host:8123/database';

/** Where the hits of old days move. */
export function homeOfHits(text: string): ClickhouseAddress | 'rows' {
  if (text === 'rows') return 'rows';
  const url = addressIn(text);
  const { tls, table } = parametersOf(url);
  const database = decoded(url.pathname.slice(1)) || 'default';
  if (!NAME.test(database) || !NAME.test(table))
    throw new Error('a database and a table have at most 64 characters of A-Z a-z 0-9 _');
  return {
    ...{ kind: 'clickhouse', host: url.hostname, tls, database, table },
    port: url.port === '' ? PORTS[tls ? 'tls' : 'plain'] : Number(url.port),
    user: decoded(url.username) || 'default',
    password: decoded(url.password),
  };
}

function addressIn(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'mysql:' || url?.protocol === 'mariadb:')
    throw new Error('rows in another MySQL or MariaDB are not supported; use "rows" or ClickHouse');
  if (url?.protocol !== 'clickhouse:' || url.hostname === '' || url.hash !== '') throw new Error(FORM);
  return url;
}

function parametersOf({ searchParams }: URL): { tls: boolean; table: string } {
  const { tls = '0', table = 'milepost_hits', ...others } = Object.fromEntries(searchParams);
  if ('cluster' in others) throw new Error('a cluster is not supported yet');
  if (Object.keys(others).length > 0)
    throw new Error('has a parameter that is not known; there are "tls" and "table"');
  if (tls !== '0' && tls !== '1') throw new Error('"tls" is neither 0 nor 1');
  return { tls: tls === '1', table };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(FORM);
  }
}
