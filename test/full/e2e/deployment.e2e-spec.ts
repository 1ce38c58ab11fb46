import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse as parseYaml } from 'yaml';
import { CertificateAuthority } from '../../support/certificates';
import { blocksOf, blockWith, ROOT } from '../../support/documentation';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { freePort } from '../../support/free-port';
import { type Service, startService } from '../../support/programs';
import { untilOpen } from '../../support/until-open';

const PAGE = 'docs/deployment.md';
const PATH = `${process.env.PATH}:/usr/sbin`;
const HOST = 'stats.example.com';

const authority = new CertificateAuthority();
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'milepost-deployment-'))));
afterAll(() => {
  rmSync(folder, { recursive: true });
  authority.remove();
});

const run = (program: string, ...parameters: string[]) =>
  promisify(execFile)(program, parameters, { cwd: folder, env: { PATH } });

it('makes the settings of compose with a password', async () => {
  cpSync(join(ROOT, '.env.example'), join(folder, '.env.example'));
  await run('bash', '-euc', blockWith(PAGE, 'sh', '.env'));
  expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(/^DATABASE_PASSWORD=[0-9a-f]{32}$/m);
});

it.each(['compose.yaml', 'compose.mariadb.yaml', 'compose.sqlite.yaml'])(
  '%s passes all settings on',
  (name) => {
    const { services } = parseYaml(readFileSync(join(ROOT, name), 'utf8')) as {
      services: { milepost: { env_file: string; environment: Record<string, unknown> } };
    };
    const { env_file, environment } = services.milepost;
    expect([env_file, Object.keys(environment)]).toEqual(['.env', ['HOST', 'PORT', 'DATABASE_URL']]);
  },
);

it('has a unit that systemd takes without a warning', async () => {
  const unit = join(folder, 'milepost.service');
  writeFileSync(unit, blockWith(PAGE, 'ini', '[Unit]').replaceAll('/opt/milepost', ROOT));
  const { stdout, stderr } = await run('systemd-analyze', 'verify', '--man=no', unit);
  expect(stdout + stderr).toBe('');
});

it('starts what package.json and the image start', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts['start:prod']).toBe('exec bin/milepost');
  expect(blockWith(PAGE, 'ini', '[Unit]')).toContain('ExecStart=/opt/milepost/bin/milepost\n');
  const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  expect(image).toContain(' PATH=/app/bin:$PATH\n');
  expect(image).toContain('CMD ["milepost"]');
});

describe('behind a proxy', () => {
  let database: FreshDatabase;
  let service: Service;
  let port: number;
  let proxy: ReturnType<typeof spawn>;
  beforeEach(async () => {
    [database, port] = [await freshDatabase(), await freePort()];
    service = await startService({
      DATABASE_URL: database.url,
      BOOTSTRAP_API_KEY: 'a-key-behind-a-proxy-000',
    });
  });
  afterEach(async () => {
    const ended = once(proxy, 'exit');
    proxy.kill();
    await ended;
    await service.program.stop();
    await database.drop();
  });

  it.each([
    ['nginx', nginx],
    ['caddy', caddy],
  ])('%s passes large batches and the address of the client on', async (_, start) => {
    proxy = start();
    await untilOpen(port);
    const batch = join(folder, 'batch.json');
    writeFileSync(batch, JSON.stringify({ events: [], more: ' '.repeat(2 ** 21) }));
    const address = `https://${HOST}:${port}/api/v1/websites/1/events`;
    const { stdout } = await run(
      'curl',
      ...['--silent', '--show-error', '--cacert', authority.certificate],
      ...['--resolve', `${HOST}:${port}:127.0.0.1`],
      ...['-H', 'Authorization: Bearer a-key-behind-a-proxy-000', '-H', 'Content-Type: application/json'],
      ...['--data-binary', `@${batch}`, address],
    );
    expect(JSON.parse(stdout)).toMatchObject({ status: 422, instance: '/api/v1/websites/1/events' });
    await service.program.prints(/Set TRUST_PROXY to/);
  });

  function nginx() {
    const { certificate, key } = authority.issue(HOST);
    const server = blockWith(PAGE, 'nginx', 'server {')
      .replace('443', `127.0.0.1:${port}`)
      .replace(`/etc/ssl/${HOST}.crt`, certificate)
      .replace(`/etc/ssl/${HOST}.key`, key)
      .replace('http://127.0.0.1:3000', service.address);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${name};`,
    );
    const file = join(folder, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; master_process off; pid pid; events {}\nhttp { access_log off; ${paths.join(' ')}\n${server}}\n`,
    );
    return spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file], { env: { PATH }, stdio: 'inherit' });
  }

  function caddy() {
    const { certificate, key } = authority.issue(HOST);
    const site = blockWith(PAGE, 'caddyfile', HOST)
      .replace(`${HOST} {`, `https://${HOST}:${port} {\n  tls ${certificate} ${key}`)
      .replace('127.0.0.1:3000', new URL(service.address).host);
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`);
    const env = { PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    return spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { env, stdio: 'ignore' });
  }
});

it('runs all but what needs Docker, Traefik or mariadb-backup', () => {
  const marked = blocksOf(PAGE).filter(({ isNotRun }) => isNotRun);
  expect(marked.map(({ text }) => /docker|routers|mariadb-backup/.test(text))).toEqual(Array(6).fill(true));
});
