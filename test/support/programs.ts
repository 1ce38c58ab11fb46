import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { mostResidentMegabytes, residentMegabytes } from './processes';
import { SECRET_FILE } from './secret-file';

/** As in package.json and the Dockerfile. */
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=20'];
const MALLOC_ARENA_MAX = '2';
/** Requests share few cores with everything else, so an answer may be late. */
export const PATIENT = { answerMs: 10_000, lookUpMs: 10_000, probeMs: 10_000 };
const BUILT = join(__dirname, '../../dist/src');

/** A program of the tests gets nothing else from this process's environment. */
export function environmentOf(environment: Record<string, string>): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, SECRET_FILE, RATE_LIMIT: 'off', MALLOC_ARENA_MAX, ...environment };
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A program of the build, as an operator runs it. */
export class Program {
  stdout = '';
  stderr = '';
  private readonly process: ChildProcess;
  private readonly ended: Promise<unknown>;

  /** The patience of the program with its requests. Where a test is about a limit, it leaves the program its own. */
  constructor(
    file: 'main.js' | 'cli.js',
    parameters: string[],
    environment: Record<string, string>,
    patience: Partial<typeof PATIENT> = PATIENT,
  ) {
    this.process = spawn(
      process.execPath,
      [
        ...(file === 'main.js' ? FLAGS : []),
        ...['--import', join(__dirname, 'patience.mjs')],
        join(BUILT, file),
        ...parameters,
      ],
      {
        env: { ...environmentOf(environment), PATIENCE: JSON.stringify(patience) },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.process.stdout!.on('data', (data) => (this.stdout += String(data)));
    this.process.stderr!.on('data', (data) => (this.stderr += String(data)));
    this.ended = once(this.process, 'close');
  }

  /** Fails with what the program wrote, if it has ended. */
  expectRunning(): void {
    const { exitCode, signalCode } = this.process;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`it ended early (${exitCode ?? signalCode}): ${this.stderr}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  residentMegabytes(): number {
    return residentMegabytes(this.process.pid!);
  }

  /** Since its start. */
  mostResidentMegabytes(): number {
    return mostResidentMegabytes(this.process.pid!);
  }

  async end(): Promise<Ended> {
    await this.ended;
    return { code: this.process.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.signal(signal);
    return this.end();
  }

  /** Waits for standard output that matches; fails if the program ends without it. */
  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return this.writes('stdout', pattern);
  }

  /** The same for standard error. */
  tells(pattern: RegExp): Promise<RegExpExecArray> {
    return this.writes('stderr', pattern);
  }

  private async writes(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this[stream]);
      if (match) return match;
      const ended = await Promise.race([this.ended.then(() => true), once(this.process[stream]!, 'data')]);
      if (ended === true && !pattern.test(this[stream])) throw new Error(`it ended early: ${this.stderr}`);
    }
  }
}

export interface Service {
  program: Program;
  address: string;
}

export async function startService(
  environment: Record<string, string>,
  patience?: Partial<typeof PATIENT>,
): Promise<Service> {
  const program = new Program('main.js', [], { PORT: '0', ...environment }, patience);
  const [, address] = await program.prints(/ready at (\S+),/);
  return { program, address: address! };
}

export function cli(parameters: string[], environment: Record<string, string>): Promise<Ended> {
  return new Program('cli.js', parameters, environment).end();
}
