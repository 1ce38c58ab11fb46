import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child';
import { freePort } from './free-port';

/** Debian's program on the path switches to a user without access to the tests' folders. */
const PROGRAMS = '/usr/lib/rabbitmq/bin';

/** A private RabbitMQ server. */
export class RabbitMq {
  private process: Child | undefined;

  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  static async start(): Promise<RabbitMq> {
    const [port, distribution, names] = [await freePort(), await freePort(), await freePort()];
    const folder = mkdtempSync(join(tmpdir(), 'milepost-rabbitmq-'));
    writeFileSync(join(folder, 'plugins'), '[].');
    const broker = new RabbitMq(`amqp://guest:guest@127.0.0.1:${port}`, folder, {
      PATH: process.env.PATH,
      HOME: folder,
      // A separate daemon, because it outlives the server.
      ERL_EPMD_PORT: String(names),
      ERL_EPMD_RELAXED_COMMAND_CHECK: '1',
      RABBITMQ_NODENAME: 'milepost@localhost',
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_DIST_PORT: String(distribution),
      RABBITMQ_MNESIA_BASE: join(folder, 'data'),
      RABBITMQ_LOG_BASE: join(folder, 'log'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    });
    await broker.run();
    return broker;
  }

  /** As an operator closes them. */
  async closeConnections(): Promise<void> {
    const control = spawn(`${PROGRAMS}/rabbitmqctl`, ['close_all_connections', 'a test'], {
      env: this.environment,
      stdio: 'ignore',
      cwd: this.folder,
    });
    const [code] = (await once(control, 'exit')) as [number];
    if (code !== 0) throw new Error(`rabbitmqctl ended with ${code}`);
  }

  /** Kills it, and starts it with the same data. */
  async restart(): Promise<void> {
    await this.kill();
    await this.run();
  }

  /** Stops the process; its connections stay open. */
  freeze(): void {
    this.process!.signal('SIGSTOP');
  }

  goOn(): void {
    this.process!.signal('SIGCONT');
  }

  async end(): Promise<void> {
    await this.kill();
    spawnSync('epmd', ['-kill'], { env: this.environment });
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async kill(): Promise<void> {
    await this.process!.stop('SIGKILL');
  }

  private async run(): Promise<void> {
    this.process = new Child(`${PROGRAMS}/rabbitmq-server`, [], {
      env: this.environment,
      cwd: this.folder,
      detached: true,
    });
    await this.process.prints(/completed with \d+ plugins/);
  }
}
