import type { INestApplicationContext, Type } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';

/** Opens the services while the work runs. Some settings may be others than those of the environment. */
export type WithServices = <T>(
  work: (services: INestApplicationContext) => Promise<T>,
  otherSettings?: Record<string, string>,
) => Promise<T>;

/** Defines a command, or adds its subcommands. */
export type Commands = (command: Command, withServices: WithServices, environment: NodeJS.ProcessEnv) => void;

/** Runs work with one service. */
export function using<S, T>(
  run: WithServices,
  service: Type<S>,
  work: (service: S) => Promise<T>,
): Promise<T> {
  return run((services) => work(services.get(service, { strict: false })));
}

/** Prints rows as an aligned plain-text table. */
export function printTable(headings: string[], rows: string[][]): void {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    const cells = line.map((cell, column) => cell.padEnd(widths[column]!));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

/** Rewords a parser's error the way commander expects it. */
export function parsedArgument<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}
