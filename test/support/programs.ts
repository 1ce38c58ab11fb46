import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BUILT = join(__dirname, '../../dist/src');

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

  constructor(file: 'main.js' | 'cli.js', parameters: string[], environment: Record<string, string>) {
    this.process = spawn(process.execPath, [join(BUILT, file), ...parameters], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout!.on('data', (data) => (this.stdout += String(data)));
    this.process.stderr!.on('data', (data) => (this.stderr += String(data)));
    this.ended = once(this.process, 'close');
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  residentMegabytes(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
  }

  async end(): Promise<Ended> {
    await this.ended;
    return { code: this.process.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.signal(signal);
    return this.end();
  }

  /** Waits for what it prints; fails where it ends without. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match) return match;
      const ended = await Promise.race([this.ended.then(() => true), once(this.process.stdout!, 'data')]);
      if (ended === true && !pattern.test(this.stdout)) throw new Error(`it ended early: ${this.stderr}`);
    }
  }
}

export interface Service {
  program: Program;
  address: string;
}

export async function startService(environment: Record<string, string>): Promise<Service> {
  const program = new Program('main.js', [], { PORT: '0', ...environment });
  const [, address] = await program.prints(/ready at (\S+),/);
  return { program, address: address! };
}

export function cli(parameters: string[], environment: Record<string, string>): Promise<Ended> {
  return new Program('cli.js', parameters, environment).end();
}
