import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Child } from './child';
import { freePort } from './free-port';

const PATH = `${process.env.PATH}:/usr/sbin`;
const env = { ...process.env, PATH };
/** The server refuses root otherwise. A user in a container may have no name. */
const AS_ROOT = process.getuid?.() === 0 ? ['--user=root'] : [];

/** A private MariaDB or MySQL, with its own data, port and socket. */
export class DatabaseServer {
  private process: Child | undefined;
  port = 0;

  constructor(
    within = tmpdir(),
    private readonly options: string[] = [],
    private readonly folder = mkdtempSync(join(within, 'milepost-server-')),
  ) {}

  /** A server whose data stay for the next start. */
  static kept(folder: string, options: string[]): DatabaseServer {
    mkdirSync(folder, { recursive: true });
    return new DatabaseServer(undefined, options, folder);
  }

  get url(): string {
    return `mysql://milepost:milepost@127.0.0.1:${this.port}/`;
  }

  get pid(): number {
    return this.process!.pid;
  }

  async start(): Promise<this> {
    if (!existsSync(join(this.folder, 'init.sql'))) this.initialise();
    if (this.port === 0) this.port = await freePort();
    this.process = new Child(
      program(),
      [
        '--no-defaults',
        ...this.folders(),
        `--socket=${this.folder}/s`,
        `--pid-file=${this.folder}/pid`,
        `--port=${this.port}`,
        '--bind-address=127.0.0.1',
        `--init-file=${this.folder}/init.sql`,
        '--max-connections=400',
        '--character-set-server=utf8mb4',
        ...this.options,
      ],
      { env },
    );
    // Another test's server might answer on a port that was taken twice.
    await this.process.tells(/: ready for connections/);
    return this;
  }

  isRunning(): boolean {
    return this.process?.isRunning() ?? false;
  }

  signal(signal: NodeJS.Signals): void {
    this.process?.signal(signal);
  }

  /** Ends it like a crash; its data stay. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Includes temporary tables: servers that start at once would remove each other's. */
  private folders(): string[] {
    return [`--datadir=${this.folder}/data`, `--tmpdir=${this.folder}/tmp`, ...AS_ROOT];
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    await this.process?.stop(signal);
  }

  private initialise(): void {
    const data = [...this.folders(), ...this.options];
    mkdirSync(`${this.folder}/tmp`, { recursive: true });
    if (serverKind() === 'mariadb')
      execFileSync('mariadb-install-db', ['--no-defaults', '--skip-test-db', ...data], {
        env,
        stdio: 'pipe',
      });
    else execFileSync(program(), ['--no-defaults', '--initialize-insecure', ...data], { env, stdio: 'pipe' });
    writeFileSync(
      join(this.folder, 'init.sql'),
      "CREATE USER IF NOT EXISTS milepost@'%' IDENTIFIED BY 'milepost';\n" +
        "CREATE USER IF NOT EXISTS milepost@localhost IDENTIFIED BY 'milepost';\n" +
        "GRANT ALL ON *.* TO milepost@'%' WITH GRANT OPTION;\nGRANT ALL ON *.* TO milepost@localhost WITH GRANT OPTION;\n",
    );
  }
}

export function serverKind(): 'mariadb' | 'mysql' {
  const version = execFileSync(program(), ['--no-defaults', '--version'], { env });
  return version.includes('MariaDB') ? 'mariadb' : 'mysql';
}

/** The clients of a server that `test/mysql.sh` has installed are beside it. */
export const CLIENTS_PATH = process.env.TEST_SERVER ? `${dirname(process.env.TEST_SERVER)}:${PATH}` : PATH;

function program(): string {
  if (process.env.TEST_SERVER) return process.env.TEST_SERVER;
  for (const name of ['mariadbd', 'mysqld'])
    for (const folder of PATH.split(':')) {
      try {
        execFileSync(join(folder, name), ['--no-defaults', '--version'], { stdio: 'pipe' });
        return join(folder, name);
      } catch {
        continue;
      }
    }
  throw new Error('there is neither TEST_SERVER nor mariadbd nor mysqld');
}
