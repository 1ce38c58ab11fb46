import { CommandError, type Commands, printTable, using } from '../common/command';
import type { User } from './user.entity';
import { UsersService } from './users.service';

export const userCommands: Commands = (program, run) => {
  const user = program.command('user').description('people who own websites');

  user
    .command('create <email>')
    .description('make a user, and print the API key of the user alone')
    .action((email: string) => using(run, UsersService, (users) => create(users, email)));

  user
    .command('list')
    .description('show all users')
    .action(() => using(run, UsersService, async (users) => show(await users.list())));
};

async function create(users: UsersService, email: string): Promise<void> {
  if (!/^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email) || email.length > 254)
    throw new CommandError(`"${email}" is no mail address`);
  const key = await users.create(email);
  if (!key) throw new CommandError(`there is a user ${email} already`);
  process.stdout.write(`${key}\n`);
}

function show(users: User[]): void {
  printTable(
    ['ID', 'EMAIL', 'CREATED'],
    users.map(({ id, email, createdAt }) => [String(id), email, createdAt.toISOString()]),
  );
}
