import { Child } from './child';
import { freePort } from './free-port';

const PATH = `${process.env.PATH}:/usr/sbin`;

const PROGRAMS = {
  nats: {
    file: 'nats-server',
    parametersOf: (port: string) => ['-a', '127.0.0.1', '-p', port],
    isReady: (server: Child) => server.tells(/Server is ready/),
  },
  redis: {
    file: 'redis-server',
    parametersOf: (port: string) => [
      '--bind',
      '127.0.0.1',
      '--port',
      port,
      '--save',
      '',
      '--appendonly',
      'no',
    ],
    isReady: (server: Child) => server.prints(/Ready to accept connections/),
  },
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
  private process: Child | undefined;

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
    const { file, parametersOf, isReady } = PROGRAMS[this.kind];
    this.process = new Child(file, parametersOf(String(this.port)), {
      env: { ...process.env, PATH },
      cwd: '/',
    });
    await isReady(this.process);
  }

  /** Stops the process; its connections stay open. */
  freeze(): void {
    this.process!.signal('SIGSTOP');
  }

  async stop(): Promise<void> {
    await this.process!.stop('SIGKILL');
  }
}
