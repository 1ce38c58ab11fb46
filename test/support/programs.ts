import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child, type Ended } from './child';
import { mostResidentMegabytes, residentMegabytes } from './processes';
import { SECRET_FILE } from './secret-file';

export const MILEPOST = join(__dirname, '../../bin/milepost');
/** Those of the service. */
const FLAGS = readFileSync(MILEPOST, 'utf8').match(/--[\w-]+=\d+/g)!;
const MALLOC_ARENA_MAX = '2';
/** Requests share few cores with everything else, so an answer may be late. */
export const PATIENT = { answerMs: 10_000, lookUpMs: 10_000, probeMs: 10_000 };
const BUILT = join(__dirname, '../../dist/src');

/** A program of the tests gets nothing else from this process's environment. */
export function environmentOf(environment: Record<string, string>): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, SECRET_FILE, RATE_LIMIT: 'off', MALLOC_ARENA_MAX, ...environment };
}

/** A program of the build, as an operator runs it. */
export class Program extends Child {
  /** The patience of the program with its requests. Where a test is about a limit, it leaves the program its own. */
  constructor(
    file: 'main.js' | 'cli.js',
    parameters: string[],
    environment: Record<string, string>,
    patience: Partial<typeof PATIENT> = PATIENT,
  ) {
    super(
      process.execPath,
      [
        ...(file === 'main.js' ? FLAGS : []),
        ...['--import', join(__dirname, 'patience.mjs')],
        join(BUILT, file),
        ...parameters,
      ],
      { env: { ...environmentOf(environment), PATIENCE: JSON.stringify(patience) } },
    );
  }

  residentMegabytes(): number {
    return residentMegabytes(this.pid);
  }

  /** Since its start. */
  mostResidentMegabytes(): number {
    return mostResidentMegabytes(this.pid);
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
