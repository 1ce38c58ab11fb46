import type { INestApplicationContext, Type } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';

/** What a command cannot do as it was asked to; the message is all that the user is shown. */
export class CommandError extends Error {}

/** Opens the services for the time of one piece of work. */
export type WithServices = <T>(work: (services: INestApplicationContext) => Promise<T>) => Promise<T>;

/** Says what a command does, or adds its subcommands. */
export type Commands = (command: Command, withServices: WithServices) => void;

/** Runs a command with one service. */
export function using<S, T>(
  run: WithServices,
  service: Type<S>,
  work: (service: S) => Promise<T>,
): Promise<T> {
  return run((services) => work(services.get(service, { strict: false })));
}

/** Rows as a table of plain text: columns in line, headings first. */
export function printTable(headings: string[], rows: string[][]): void {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    const cells = line.map((cell, column) => cell.padEnd(widths[column]!));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

/** Words the error of a parser as commander does for an argument. */
export function parsedArgument<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}
