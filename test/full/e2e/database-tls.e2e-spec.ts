import { readFileSync } from 'node:fs';
import { createConnection } from 'mysql2/promise';
import { Settings } from '../../../src/config/settings';
import type { MysqlAddress } from '../../../engine/database/connections/address';
import { connect } from '../../../src/database/connect';
import { databaseOfThread } from '../../../engine/database/connections/thread-database';
import { EntityDatabase } from '../../../src/database/entity-database';
import { CertificateAuthority } from '../../support/certificates';
import { CommandHost } from '../../support/command-host';
import { engine, freshDatabase, onServer } from '../../support/fresh-database';
import { DatabaseServer } from '../../support/database-server';

const CIPHER = "SHOW STATUS LIKE 'Ssl_cipher'";
const SELF_SIGNED = /self[- ]signed certificate/;

let authority: CertificateAuthority;
beforeAll(() => void (authority = new CertificateAuthority()));
afterAll(() => authority.remove());

it('may be asked for whichever database is used', async () => {
  const fresh = await freshDatabase();
  const url = fresh.url.replace('127.0.0.1', 'localhost');
  const { database } = new Settings({ DATABASE_URL: url, DATABASE_CA: authority.certificate });
  expect(database).toMatchObject(
    engine === 'sqlite' ? { kind: 'sqlite' } : { tls: { ca: readFileSync(authority.certificate, 'latin1') } },
  );
  await fresh.drop();
});

onServer('a server with a certificate', () => {
  const servers: DatabaseServer[] = [];
  const host = new CommandHost();
  afterAll(() => Promise.all([host.stop(), ...servers.map((server) => server.remove())]));

  /** A database on a server whose certificate is for one host. `localhost` resolves to it. */
  async function served(host: string): Promise<string> {
    const { certificate, key } = authority.issue(host);
    const tls = [`--ssl-cert=${certificate}`, `--ssl-key=${key}`, `--ssl-ca=${authority.certificate}`];
    const server = await new DatabaseServer(undefined, tls).start();
    servers.push(server);
    const admin = await createConnection(server.url);
    await admin.query('CREATE DATABASE milepost');
    await admin.end();
    return `${server.url.replace('127.0.0.1', 'localhost')}milepost`;
  }

  let own: string;
  let others: string;
  beforeAll(async () => {
    [own, others] = await Promise.all([served('localhost'), served('db.example')]);
  });

  const refusal = async (environment: Record<string, string>) => {
    const { code, stderr } = await host.run(['migrate'], { ...environment, LOG_LEVEL: 'error' });
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/^error: DATABASE_URL: localhost:\d+\/milepost does not pass TLS: /);
    return stderr;
  };

  async function expectEncrypted(environment: Record<string, string>): Promise<void> {
    const address = new Settings(environment).database as MysqlAddress;
    const database = await EntityDatabase.over(await connect(address, []));
    const ofThread = await databaseOfThread(address);
    const ciphers = await Promise.all(
      [database, ofThread.database].flatMap((own) => [
        own.read((manager) => manager.query<{ Value: string }[]>(CIPHER)),
        own.write((manager) => manager.query<{ Value: string }[]>(CIPHER)),
      ]),
    );
    for (const [cipher] of ciphers) expect(cipher!.Value).not.toBe('');
    await database.writer.destroy();
    ofThread.close();
  }

  it('is trusted through the certificate authority that is named', () =>
    expectEncrypted({ DATABASE_URL: `${own}?ssl=true`, DATABASE_CA: authority.certificate }));

  it('is asked for TLS wherever an authority is named', () =>
    expectEncrypted({ DATABASE_URL: own, DATABASE_CA: authority.certificate }));

  it('is refused under another authority, in one line', async () => {
    const other = new CertificateAuthority();
    const environment = { DATABASE_URL: `${own}?ssl=true`, DATABASE_CA: other.certificate };
    expect(await refusal(environment)).toMatch(/certificate/);
    other.remove();
  });

  it('is refused where no authority is named that vouches for it', async () => {
    expect(await refusal({ DATABASE_URL: `${own}?ssl=required` })).toMatch(SELF_SIGNED);
  });

  it('is refused under another host name, unless the authority alone is asked for', async () => {
    const environment = { DATABASE_URL: `${others}?ssl=true`, DATABASE_CA: authority.certificate };
    expect(await refusal(environment)).toMatch(/does not match certificate's altnames/);
    await expectEncrypted({ ...environment, DATABASE_URL: `${others}?ssl=verify-ca` });
  });
});

onServer('a server without TLS that is trusted', () => {
  it('is not spoken to where TLS is asked for', async () => {
    const server = await new DatabaseServer(undefined, []).start();
    const url = `${server.url.replace('127.0.0.1', 'localhost')}mysql?ssl=true`;
    const address = new Settings({ DATABASE_URL: url, DATABASE_CA: authority.certificate }).database;
    await expect(connect(address, [])).rejects.toThrow(/^DATABASE_URL: .+ does not pass TLS: .+$/);
    await server.remove();
  });
});
