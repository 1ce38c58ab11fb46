import { CommandError, type Commands, printTable, using } from '../common/commands/command';
import { InvalidFields } from '../common/problem';
import { NotAllowed } from '../validation/fields';
import { normaliseEmail } from '../validation/parsers';
import type { User } from './user.entity';
import { UsersService } from './users.service';

export const userCommands: Commands = (user, run) => {
  user
    .command('create <email>')
    .description('Create a user and print only its API key')
    .action((email: string) => using(run, UsersService, (users) => create(users, email)));

  user
    .command('update <email>')
    .description('Change the address of a user, to which email reports are sent')
    .requiredOption('--email <email>', 'the new address')
    .action((email: string, options: { email: string }) =>
      using(run, UsersService, (users) => rename(users, email, options.email)),
    );

  user
    .command('list')
    .description('List all users')
    .action(() => using(run, UsersService, async (users) => show(await users.list())));
};

async function create(users: UsersService, email: string): Promise<void> {
  const key = await users.create(addressOf(email));
  if (!key) throw new CommandError(`user ${email} already exists`);
  process.stdout.write(`${key}\n`);
}

async function rename(users: UsersService, email: string, wished: string): Promise<void> {
  const address = addressOf(wished);
  const user = await users.find(email);
  if (!user) throw new CommandError(`there is no user ${email}`);
  try {
    await users.rename(user.id, address);
  } catch (error) {
    if (error instanceof InvalidFields) throw new CommandError(`user ${address} already exists`);
    throw error;
  }
  process.stdout.write(`The address is now ${address}.\n`);
}

function addressOf(text: string): string {
  try {
    return normaliseEmail(text);
  } catch (error) {
    if (error instanceof NotAllowed) throw new CommandError(`"${text}" ${error.message}`);
    throw error;
  }
}

function show(users: User[]): void {
  printTable(
    ['ID', 'EMAIL', 'CREATED'],
    users.map(({ id, email, createdAt }) => [String(id), email, createdAt.toISOString()]),
  );
}
