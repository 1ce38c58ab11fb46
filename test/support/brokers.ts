import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port';
import { untilOpen } from './until-open';

const PATH = `${process.env.PATH}:/usr/sbin`;

const PROGRAMS = {
  nats: (port: number) => ['nats-server', '-a', '127.0.0.1', '-p', String(port)],
  redis: (port: number) => [
    'redis-server',
    ...['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'],
  ],
};

/** Endpoints for messages: a port, NATS and Redis. */
export async function startBrokers() {
  const [nats, redis, port] = [await Broker.start('nats'), await Broker.start('redis'), await freePort()];
  return {
    nats,
    redis,
    port,
    rpcUrl: `tcp://127.0.0.1:${port} nats://127.0.0.1:${nats.port} redis://127.0.0.1:${redis.port}`,
    stop: () => Promise.all([nats.stop(), redis.stop()]),
  };
}

/** A private broker, which reuses its port after a restart. */
export class Broker {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly kind: keyof typeof PROGRAMS,
    readonly port: number,
  ) {}

  static async start(kind: keyof typeof PROGRAMS): Promise<Broker> {
    const broker = new Broker(kind, await freePort());
    await broker.start();
    return broker;
  }

  async start(): Promise<void> {
    const [program, ...parameters] = PROGRAMS[this.kind](this.port);
    this.process = spawn(program!, parameters, { env: { ...process.env, PATH }, stdio: 'ignore', cwd: '/' });
    await untilOpen(this.port);
  }

  /** Stops the process; its connections stay open. */
  freeze(): void {
    this.process!.kill('SIGSTOP');
  }

  async stop(): Promise<void> {
    const ended = once(this.process!, 'exit');
    this.process!.kill('SIGKILL');
    await ended;
  }
}
