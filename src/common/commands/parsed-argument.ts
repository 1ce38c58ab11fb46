import { InvalidArgumentError } from 'commander';

/** Words the error of a parser as commander does for an argument. */
export function parsedArgument<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}
