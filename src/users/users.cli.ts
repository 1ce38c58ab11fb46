import { Option } from 'commander';
import { CommandError } from '../../engine/ground/errors';
import { type Commands, printTable, using } from '../common/commands/command';
import { type Language, LANGUAGES } from '../../engine/ground/languages';
import { InvalidFields } from '../../engine/ground/errors';
import { NotAllowed } from '../../engine/ground/errors';
import { normaliseEmail } from '../validation/parsers';
import type { User } from './user.entity';
import { UsersService } from './users.service';

interface Wish {
  email?: string;
  language?: Language;
}

export const userCommands: Commands = (user, run) => {
  user
    .command('create <email>')
    .description('Create a user and print only its API key')
    .action((email: string) => using(run, UsersService, (users) => create(users, email)));

  user
    .command('update <email>')
    .description('Change the address of a user, to which mails are sent, or the language of these mails')
    .option('--email <email>', 'the new address')
    .addOption(new Option('--language <language>', 'the language of mails').choices(LANGUAGES))
    .action((email: string, wish: Wish) => using(run, UsersService, (users) => change(users, email, wish)));

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

async function change(users: UsersService, email: string, wish: Wish): Promise<void> {
  const { language } = wish;
  const address = wish.email === undefined ? undefined : addressOf(wish.email);
  if (address === undefined && language === undefined) throw new CommandError('give --email or --language');
  const user = await users.find(email);
  if (!user) throw new CommandError(`there is no user ${email}`);
  try {
    await users.change(user.id, { email: address, language });
  } catch (error) {
    if (error instanceof InvalidFields) throw new CommandError(`user ${address} already exists`);
    throw error;
  }
  if (address !== undefined) process.stdout.write(`The address is now ${address}.\n`);
  if (language !== undefined) process.stdout.write(`The language of mails is now ${language}.\n`);
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
    ['ID', 'EMAIL', 'LANGUAGE', 'CREATED'],
    users.map(({ id, email, language, createdAt }) => [String(id), email, language, createdAt.toISOString()]),
  );
}
