import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Ended } from './child';
import { environmentOf } from './programs';

/** Runs command lines in one process, one at a time, which saves the start of a program for each. */
export class CommandHost {
  private process: ChildProcess | undefined;

  async run(parameters: string[], environment: Record<string, string>): Promise<Ended> {
    this.process ??= fork(join(__dirname, 'run-commands.mjs'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const abort = new AbortController();
    const { signal } = abort;
    const exit = once(this.process, 'exit', { signal }).then(() => {
      throw new Error('the process of the commands has ended');
    });
    const answer = once(this.process, 'message', { signal });
    this.process.send({ parameters, environment: environmentOf(environment) });
    const [ended] = (await Promise.race([answer, exit]).finally(() => {
      exit.catch(() => undefined);
      abort.abort();
    })) as [Ended];
    return ended;
  }

  async stop(): Promise<void> {
    if (!this.process) return;
    const ended = once(this.process, 'exit');
    this.process.disconnect();
    await ended;
  }
}
