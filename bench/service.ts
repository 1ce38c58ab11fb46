import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverKind } from '../test/support/database-server';
import { freePort } from '../test/support/free-port';
import { residentMegabytes } from '../test/support/processes';
import type { LoopDelay } from './loop-delay';

/** The database of a bench: SQLite if the variable says so, or the server that the tests would use. */
export function engine(): 'sqlite' | 'mariadb' | 'mysql' {
  const { ENGINE } = process.env;
  if (ENGINE === 'sqlite') return 'sqlite';
  if (ENGINE !== undefined)
    throw new Error('ENGINE can only be sqlite; TEST_SERVER names the program of a server');
  return serverKind();
}

export const ROOT = join(__dirname, '../../..');
/** Stored beside the data that are reused between runs. */
process.env.SECRET_FILE = join(ROOT, 'bench/data/secret');
/** The options of the service. */
const AS_STARTED = readFileSync(join(ROOT, 'bin/milepost'), 'utf8').match(/--[\w-]+=\d+/g)!;

export interface Server {
  address: string;
  port: number;
  process: ChildProcess;
}

const started: ChildProcess[] = [];
// A benchmark that fails must not leave its servers behind.
process.once('exit', () => started.forEach((child) => child.kill('SIGKILL')));

/** Starts a server on the port of its environment or a free one, and waits until it listens. */
export async function serve(
  file: string,
  parameters: string[],
  environment: Record<string, string> = {},
): Promise<Server> {
  const port = Number(environment.PORT ?? (await freePort()));
  const options = [...AS_STARTED, '-r', join(__dirname, 'loop-delay.js')];
  const child = spawn(process.execPath, [...options, file, ...parameters, String(port)], {
    env: { ...process.env, MALLOC_ARENA_MAX: '2', PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  started.push(child);
  const server = { address: `http://127.0.0.1:${port}`, port, process: child };
  await untilOpen(server.address);
  return server;
}

export function milepost(environment: Record<string, string>): Promise<Server> {
  return serve(join(ROOT, 'dist/src/main.js'), [], {
    LOG_LEVEL: 'warn',
    TRUST_PROXY: '1',
    RATE_LIMIT: 'off',
    ...environment,
  });
}

async function untilOpen(address: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await fetch(address);
      return;
    } catch (error) {
      if (attempt > 300) throw error;
      await sleep(100);
    }
  }
}

/** The delay of a server's event loop since the last call. */
export async function loopDelay({ process: child }: Server): Promise<LoopDelay> {
  const answer = once(child, 'message');
  child.send('');
  const [delay] = (await answer) as [LoopDelay];
  return delay;
}

export function residentMiB({ process: { pid } }: Server): number {
  return residentMegabytes(pid!);
}

export function machine(): string {
  return `Measured on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpus()[0]!.model.trim()}), Node ${process.versions.node}, all on the same cores.`;
}

/** Prints a result, and replaces the last one in `bench/results`. */
export function record(name: string, text: string): void {
  process.stdout.write(`${text}\n`);
  writeFileSync(join(ROOT, 'bench/results', `${name}.md`), `# ${name}\n\n${text}\n`);
}

export function table(head: string[], rows: (string | number)[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
