import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { withTimeout } from '../../engine/ground/time/timeout';
import { PATIENCE_MS } from './until';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A process of a test, and what it has written. */
export class Child {
  stdout = '';
  stderr = '';
  private readonly process: ChildProcess;
  private readonly ended: Promise<unknown>;
  private isOver = false;

  constructor(
    private readonly file: string,
    parameters: string[],
    private readonly options: SpawnOptions,
  ) {
    this.process = spawn(file, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout!.on('data', (data) => (this.stdout += String(data)));
    this.process.stderr!.on('data', (data) => (this.stderr += String(data)));
    this.ended = once(this.process, 'close').finally(() => (this.isOver = true));
  }

  get pid(): number {
    return this.process.pid!;
  }

  isRunning(): boolean {
    const { exitCode, signalCode } = this.process;
    return exitCode === null && signalCode === null;
  }

  /** Fails with what the program wrote, if it has ended. */
  expectRunning(): void {
    if (!this.isRunning()) throw this.endedEarly();
  }

  /** A detached process gets it together with its child processes. */
  signal(signal: NodeJS.Signals): void {
    if (this.isOver) return;
    if (this.options.detached) process.kill(-this.pid, signal);
    else this.process.kill(signal);
  }

  async end(): Promise<Ended> {
    await this.ended;
    return { code: this.process.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.signal(signal);
    return this.end();
  }

  /** Waits for standard output that matches; fails if the program ends without it, or is silent for long. */
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
      const next = Promise.race([this.ended.then(() => true), once(this.process[stream]!, 'data')]);
      const ended = await withTimeout(PATIENCE_MS, next).catch(() => {
        throw this.failure(`did not write ${pattern}`);
      });
      if (ended === true && !pattern.test(this[stream])) throw this.endedEarly();
    }
  }

  private endedEarly(): Error {
    const { exitCode, signalCode } = this.process;
    return this.failure(`ended early (${exitCode ?? signalCode})`);
  }

  private failure(what: string): Error {
    return new Error(`${basename(this.file)} ${what}: ${this.stdout}${this.stderr}`);
  }
}
