import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './mariadb-server';

/** Debian's program on the path changes to a user who may not write to the folders of tests. */
const PROGRAM = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** A RabbitMQ server of one's own. */
export class RabbitMq {
  private process: ChildProcess | undefined;

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
      // Of its own, since this daemon outlives the server.
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

  async end(): Promise<void> {
    const ended = once(this.process!, 'exit');
    // With the processes that it started.
    process.kill(-this.process!.pid!, 'SIGKILL');
    await ended;
    spawnSync('epmd', ['-kill'], { env: this.environment });
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async run(): Promise<void> {
    this.process = spawn(PROGRAM, {
      env: this.environment,
      stdio: 'ignore',
      cwd: this.folder,
      detached: true,
    });
    const { port } = new URL(this.url);
    for (let attempt = 0; ; attempt++) {
      const socket = createConnection(Number(port), '127.0.0.1');
      try {
        await once(socket, 'connect');
        return;
      } catch (error) {
        if (attempt > 900) throw error;
        await sleep(100);
      } finally {
        socket.destroy();
      }
    }
  }
}
