import { InvalidArgumentError, Option } from 'commander';
import { type ApiKey, SCOPES, type Scope } from '../auth/api-key.entity';
import { ApiKeysService } from '../auth/api-keys.service';
import { CommandError, type Commands, printTable, using } from '../common/command';
import { dateTime, positiveInteger } from '../common/parsers';
import { UsersService } from './users.service';

const DAY_MS = 86_400_000;

interface CreateOptions {
  scope: Scope;
  name: string;
  expires?: Date;
}

export const keyCommands: Commands = (program, run) => {
  const key = program.command('key').description('API keys of users');

  key
    .command('create <email>')
    .description('make a key for a user, and print it alone')
    .addOption(new Option('--scope <scope>', 'what the key may do').choices(SCOPES).default('full'))
    .addOption(expires())
    .option('--name <name>', 'what the key is for', aName, 'unnamed')
    .action((email: string, { scope, name, expires }: CreateOptions) =>
      run(async (services) => {
        const user = await userOf(services.get(UsersService, { strict: false }), email);
        const wish = { scope, name, expiresAt: expires ?? null };
        print(await services.get(ApiKeysService, { strict: false }).create(user.id, wish));
      }),
    );

  key
    .command('list <email>')
    .description('show the keys of a user, by their first characters')
    .action((email: string) =>
      run(async (services) => {
        const user = await userOf(services.get(UsersService, { strict: false }), email);
        show(await services.get(ApiKeysService, { strict: false }).list(user.id));
      }),
    );

  key
    .command('revoke')
    .argument('<id>', 'the id of a key, as listed', anId)
    .description('stop a key at once')
    .action((id: number) => using(run, ApiKeysService, (keys) => revoke(keys, id)));

  key
    .command('rotate')
    .argument('<id>', 'the id of a key, as listed', anId)
    .description(
      'put a new key with the same rights in the place of one, stop that at once, and print the new one alone',
    )
    .addOption(expires())
    .action((id: number, options: { expires?: Date }) =>
      using(run, ApiKeysService, (keys) => rotate(keys, id, options.expires)),
    );
};

async function userOf(users: UsersService, email: string) {
  const user = await users.find(email);
  if (!user) throw new CommandError(`there is no user ${email}`);
  return user;
}

async function revoke(keys: ApiKeysService, id: number): Promise<void> {
  if (await keys.revoke(id)) return;
  throw new CommandError((await keys.find(id)) ? `key ${id} was revoked before` : `there is no key ${id}`);
}

async function rotate(keys: ApiKeysService, id: number, expiresAt?: Date): Promise<void> {
  const key = await keys.find(id);
  if (!key) throw new CommandError(`there is no key ${id}`);
  if (stateOf(key) === 'expired' && !expiresAt)
    throw new CommandError(`key ${id} has expired; give the new one a time with --expires`);
  const secret = await keys.rotate(key, expiresAt ?? key.expiresAt);
  if (!secret) throw new CommandError(`key ${id} was revoked before`);
  print(secret);
}

function show(keys: ApiKey[]): void {
  printTable(
    ['ID', 'KEY', 'SCOPE', 'STATE', 'EXPIRES', 'LAST USED', 'NAME'],
    keys.map((key) => [
      String(key.id),
      `${key.prefix}…`,
      key.scope,
      stateOf(key),
      key.expiresAt?.toISOString() ?? 'never',
      key.lastUsedAt?.toISOString() ?? 'never',
      key.name,
    ]),
  );
}

function stateOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt.getTime() <= Date.now() ? 'expired' : 'valid';
}

function print(secret: string): void {
  process.stdout.write(`${secret}\n`);
}

function expires(): Option {
  return new Option(
    '--expires <when>',
    'a number of days from now such as 90d, or a moment such as 2030-01-31T12:00:00Z',
  ).argParser(aMoment);
}

function aMoment(text: string): Date {
  const moment = momentOf(text);
  if (!moment || moment.getTime() <= Date.now())
    throw new InvalidArgumentError(
      'Use a number of days such as 90d, or a moment in UTC that is still to come.',
    );
  return moment;
}

function momentOf(text: string): Date | undefined {
  const days = /^([1-9]\d{0,4})d$/.exec(text);
  if (days) return new Date(Date.now() + Number(days[1]) * DAY_MS);
  try {
    return dateTime(text.includes('T') ? text.replace(/Z$/, '') : `${text}T00:00:00`);
  } catch {
    return undefined;
  }
}

function aName(text: string): string {
  if (!/^\P{Cc}{1,100}$/u.test(text.trim())) throw new InvalidArgumentError('Use 1 to 100 characters.');
  return text.trim();
}

function anId(text: string): number {
  const id = positiveInteger(text);
  if (id === undefined) throw new InvalidArgumentError('Use a number as listed.');
  return id;
}
