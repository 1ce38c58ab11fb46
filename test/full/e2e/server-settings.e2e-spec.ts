import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { CHROME } from '../../support/agents';
import { ApiClient } from '../../support/api-client';
import { CertificateAuthority } from '../../support/certificates';
import { CommandHost } from '../../support/command-host';
import { closeDays, untilCounted } from '../../support/counted';
import { DatabaseServer, serverKind } from '../../support/database-server';
import { engine, type FreshDatabase, freshDatabase, onServer } from '../../support/fresh-database';
import { Program, startService } from '../../support/programs';
import { startApp } from '../../support/test-app';
import { visitedWebsite } from '../../support/visited-website';

const OF_BOTH = [
  '--max-allowed-packet=4M',
  '--sql-mode=ANSI_QUOTES',
  '--default-time-zone=+05:45',
  '--lower-case-table-names=1',
  '--server-id=1',
  '--log-bin=binlog',
  '--binlog-format=ROW',
];
const OF_MYSQL = ['--sql-require-primary-key=ON', '--gtid-mode=ON', '--enforce-gtid-consistency=ON'];
const OF_MARIADB = ['--innodb-force-primary-key=ON', '--gtid-strict-mode=ON'];

/** Defaults of new sessions that would lose, hide or refuse rows, or change texts. */
const HOSTILE = [
  'SET GLOBAL completion_type = 1',
  'SET GLOBAL sql_select_limit = 0',
  'SET GLOBAL sql_safe_updates = 1',
  'SET GLOBAL max_join_size = 1',
  'SET GLOBAL TRANSACTION READ ONLY',
  "SET GLOBAL init_connect = 'SET NAMES latin1'",
];

const isMariaDb = engine === 'server' && serverKind() === 'mariadb';
const host = new CommandHost();
afterAll(() => host.stop());

onServer('a server with strict settings, for a user of one database', () => {
  let authority: CertificateAuthority;
  let server: DatabaseServer;
  let admin: Connection;
  beforeAll(async () => {
    authority = new CertificateAuthority();
    const { certificate, key } = authority.issue('localhost');
    const tls = [`--ssl-cert=${certificate}`, `--ssl-key=${key}`, `--ssl-ca=${authority.certificate}`];
    const settings = isMariaDb ? OF_MARIADB : OF_MYSQL;
    server = await new DatabaseServer(undefined, [...OF_BOTH, ...settings, ...tls]).start();
    admin = await createConnection(server.url);
    for (const statement of HOSTILE) await admin.query(statement);
    const how = isMariaDb ? '' : 'WITH caching_sha2_password ';
    await admin.query(`CREATE USER plain@'%' IDENTIFIED ${how}BY 'secret'`);
  });
  afterAll(async () => {
    await admin.end();
    await server.remove();
    authority.remove();
  });

  async function databaseOfPlain(name: string): Promise<string> {
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.query(`GRANT ALL ON ${name}.* TO plain@'%'`);
    return `mysql://plain:secret@localhost:${server.port}/${name}`;
  }

  async function expectWorking(environment: Record<string, string>): Promise<void> {
    const service = await startApp({ TIMEZONE: 'UTC', ...environment });
    const { api } = service;
    try {
      const { id, domain } = await visitedWebsite(api);
      const path = `/api/v1/websites/${id}`;
      const note = { json: { at: '2026-11-01', text: 'é 😀 ı' } };
      expect((await api.post(`${path}/annotations`, note)).body.data.text).toBe(note.json.text);
      expect((await api.get(`${path}/annotations?from=2026-11-01&to=2026-11-01`)).body.data).toMatchObject([
        { text: note.json.text },
      ]);
      const events = Array.from({ length: 20 }, (_, visitor) => ({
        ...{ id: randomUUID(), url: `https://${domain}/many`, user_agent: CHROME },
        ip: `203.0.113.${visitor}`,
      }));
      const { body } = await api.post(`${path}/events`, { json: { events } });
      expect(body.data.map(({ status }: { status: string }) => status)).toEqual(Array(20).fill('accepted'));
      for (const event of events)
        expect(
          (await api.post(`${path}/events`, { json: { events: [{ ...event, id: randomUUID() }] } })).status,
        ).toBe(202);
      await untilCounted(api, id);
      const days = 'from=1970-01-01&to=9999-12-31';
      const pages = async () => (await api.get(`/api/v1/stats/${id}?name=page&${days}`)).body.data;
      const open = await pages();
      expect(open).toContainEqual({ value: '/many', label: '/many', count: 40 });
      expect(open).toContainEqual({ value: '/pricing', label: '/pricing', count: 1 });
      await closeDays(service.counting, id);
      expect(await pages()).toEqual(open);
      const filtered = await api.get(`/api/v1/stats/${id}?name=page&${days}&filter=country==NL`);
      expect(filtered.body.meta.sum).toBe(1);
      expect((await api.patch(`/api/v1/websites/${id}`, { form: { email: 1 } })).body.data.email).toBe(1);
      expect(await host.run(['stats', 'verify'], { TIMEZONE: 'UTC', ...environment })).toMatchObject({
        code: 0,
      });
      expect((await api.delete(`/api/v1/websites/${id}`)).status).toBe(200);
      expect((await api.get(`/api/v1/websites/${id}`)).status).toBe(404);
      expect((await api.get('/health/ready')).body).not.toHaveProperty('warnings');
    } finally {
      await service.stop();
    }
  }

  it('is served without TLS', async () => {
    await expectWorking({ DATABASE_URL: await databaseOfPlain('Plain') });
  });

  it('is served with TLS where it demands that, and says so where it is not asked for', async () => {
    const url = await databaseOfPlain('Encrypted');
    await admin.query('SET GLOBAL require_secure_transport = ON');
    const { code, stderr } = await host.run(['migrate'], { DATABASE_URL: url, LOG_LEVEL: 'error' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: DATABASE_URL: localhost:\d+\/Encrypted cannot be used \(\w+\); [^\n]+\?ssl=true\n$/,
      ),
    ]);
    await expectWorking({ DATABASE_URL: `${url}?ssl=true`, DATABASE_CA: authority.certificate });
    await admin.query('SET GLOBAL require_secure_transport = OFF');
  });
});

/** Text of the one line with which the service and its command refuse to start. */
async function refusal(url: string): Promise<string> {
  const environment = { DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'error' };
  const service = await new Program('main.js', [], environment).end();
  const command = await host.run(['migrate'], environment);
  expect([service.code, command.code]).toEqual([1, 1]);
  expect(command.stderr).toBe(`error: ${service.stderr}`);
  expect(service.stderr).toMatch(/^DATABASE_URL: [^\n]+\n$/);
  return service.stderr.slice('DATABASE_URL: '.length, -1);
}

onServer('a server is refused, and left alone,', () => {
  let server: DatabaseServer;
  let admin: Connection;
  let url: string;
  beforeAll(async () => {
    server = await new DatabaseServer(undefined, ['--server-id=1', '--log-bin=binlog']).start();
    admin = await createConnection(server.url);
    url = `mysql://plain:secret@127.0.0.1:${server.port}/milepost`;
  });
  beforeEach(async () => {
    await admin.query('CREATE DATABASE milepost');
    await admin.query("CREATE USER plain@'%' IDENTIFIED BY 'secret'");
  });
  afterEach(async () => {
    const [tables] = await admin.query('SHOW TABLES FROM milepost');
    expect(tables).toEqual([]);
    await admin.query('DROP DATABASE milepost');
    await admin.query("DROP USER plain@'%'");
  });
  afterAll(async () => {
    await admin.end();
    await server.remove();
  });

  const grant = (rights: string) => admin.query(`GRANT ${rights} ON milepost.* TO plain@'%'`);

  it('while it is read-only', async () => {
    await grant('ALL');
    await admin.query('SET GLOBAL read_only = ON');
    try {
      expect(await refusal(url)).toBe(
        'the server is read-only; use the address of the server that takes writes',
      );
    } finally {
      await admin.query('SET GLOBAL read_only = OFF');
    }
  });

  it('while its InnoDB is read-only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-read-only-'));
    const writable = await DatabaseServer.kept(folder, []).start();
    const owner = await createConnection(writable.url);
    await owner.query('CREATE DATABASE milepost CHARACTER SET utf8mb4');
    await owner.end();
    await writable.stop();
    const readOnly = await DatabaseServer.kept(folder, ['--innodb-read-only', '--skip-log-bin']).start();
    try {
      expect(await refusal(`${readOnly.url}milepost`)).toBe(
        'the server is read-only; use the address of the server that takes writes',
      );
    } finally {
      await readOnly.remove();
    }
  });

  it.each([
    ['SELECT', 'INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX'],
    ['SELECT, INSERT, UPDATE, DELETE', 'CREATE, ALTER, INDEX'],
    ['SELECT, INSERT, UPDATE, DELETE, CREATE, INDEX', 'ALTER'],
    ['SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER', 'INDEX'],
  ])('where its user may only %s', async (rights, missing) => {
    await grant(rights);
    expect(await refusal(url)).toBe(
      `its user lacks rights on the database: ${missing}; run GRANT ALL ON \`milepost\`.* TO \`plain\`@\`%\``,
    );
  });

  it('where its user may do nothing', async () => {
    expect(await refusal(url)).toMatch(
      /\/milepost cannot be used \(\w+\); grant its user all rights on the database$/,
    );
  });

  it('under a wrong password', async () => {
    expect(await refusal(url.replace('secret', 'wrong'))).toMatch(
      /; check the user and the password; [^\n]+$/,
    );
  });

  it('where the database does not exist', async () => {
    await admin.query("GRANT ALL ON *.* TO plain@'%'");
    expect(await refusal(`${url}2`)).toMatch(/; create the database first$/);
  });

  it('where a new database has another character set', async () => {
    await grant('ALL');
    await admin.query('ALTER DATABASE milepost CHARACTER SET latin1');
    expect(await refusal(url)).toBe(
      'the database has the character set latin1; run ALTER DATABASE `milepost` CHARACTER SET utf8mb4',
    );
  });

  it.each([
    ['binlog_format', "'STATEMENT'", 'STATEMENT; set it to ROW'],
    ['max_allowed_packet', '65536', '65536; set it to 1048576 or more'],
  ])('with an unsuitable %s', async (variable, value, problem) => {
    await grant('ALL');
    await admin.query(`SET GLOBAL ${variable} = ${value}`);
    try {
      expect(await refusal(url)).toBe(`the server has ${variable} = ${problem}`);
    } finally {
      await admin.query(`SET GLOBAL ${variable} = @@SESSION.${variable}`);
    }
  });

  it('where it is too old', async () => {
    await grant('ALL');
    const [[{ version }]] = (await admin.query('SELECT VERSION() AS version')) as unknown as [
      [{ version: string }],
    ];
    const older = version.replace(/^\d+\.\d+/, (text) => ({ 3: '5.7', 4: '10.5', 5: '10.05' })[text.length]!);
    const proxy = createServer((client) => {
      const through = connect(server.port, '127.0.0.1');
      client.pipe(through).on('error', () => client.destroy());
      through.on('data', (data) =>
        client.write(data.toString('latin1').replaceAll(version, older), 'latin1'),
      );
      client.on('close', () => through.destroy()).on('error', () => through.destroy());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const problem = await refusal(url.replace(`:${server.port}/`, `:${port}/`));
    expect(problem.replace(older, 'VERSION')).toBe(
      isMariaDb
        ? 'the server is MariaDB VERSION; Milepost needs MariaDB 10.6 or newer'
        : 'the server is MySQL VERSION; Milepost needs MySQL 8.0.19 or newer',
    );
    await new Promise((resolve) => proxy.close(resolve));
  });
});

onServer('a database that is up to date', () => {
  let fresh: FreshDatabase;
  let admin: Connection;
  let name: string;
  beforeAll(async () => {
    fresh = await freshDatabase();
    name = new URL(fresh.url).pathname.slice(1);
    admin = await createConnection(fresh.url);
    expect(await host.run(['migrate'], { DATABASE_URL: fresh.url })).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await admin.end();
    await fresh.drop();
  });

  it('is used as it is by a user who cannot change tables, with rights by a role', async () => {
    await admin.query("CREATE USER worker@'%' IDENTIFIED BY 'secret'");
    await admin.query('CREATE ROLE workers');
    try {
      await admin.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${name}.* TO workers`);
      await admin.query("GRANT workers TO worker@'%'");
      const mariaDb = serverKind() === 'mariadb';
      await admin.query(
        mariaDb ? "SET DEFAULT ROLE workers FOR worker@'%'" : "SET DEFAULT ROLE workers TO worker@'%'",
      );
      const url = new URL(fresh.url);
      [url.username, url.password] = ['worker', 'secret'];
      const service = await startService({
        DATABASE_URL: url.href,
        BOOTSTRAP_API_KEY: 'the-first-key-of-the-worker',
      });
      const { body } = await new ApiClient(service.address, 'the-first-key-of-the-worker').post(
        '/api/v1/websites',
        {
          form: { domain: 'worker.example' },
        },
      );
      expect(body.data.domain).toBe('worker.example');
      await service.program.stop();
    } finally {
      await admin.query('DROP ROLE workers');
      await admin.query("DROP USER worker@'%'");
    }
  });

  it('may have another character set', async () => {
    await admin.query(`ALTER DATABASE ${name} CHARACTER SET latin1`);
    expect(await host.run(['migrate'], { DATABASE_URL: fresh.url })).toMatchObject({ code: 0, stderr: '' });
  });
});
