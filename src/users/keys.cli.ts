import { InvalidArgumentError, Option } from 'commander';
import { type ApiKey, MAX_WEBSITES_OF_KEY, type Scope, SCOPES } from '../auth/api-key.entity';
import { ApiKeysService } from '../auth/api-keys.service';
import { CommandError } from '../../engine/ground/errors';
import { type Commands, printTable, using } from '../common/commands/command';
import { DAY_MS } from '../../engine/ground/time/days';
import { NotAllowed } from '../../engine/ground/errors';
import { dateTime, displayName, positiveInteger } from '../validation/parsers';
import { WebsitesRepository } from '../websites/websites.repository';
import { UsersService } from './users.service';

interface CreateOptions {
  scope: Scope;
  name: string;
  website: string[];
  expires?: Date;
}

export const keyCommands: Commands = (key, run) => {
  key
    .command('create <email>')
    .description('Create a key for a user and print only the key')
    .addOption(new Option('--scope <scope>', 'what the key may do').choices(SCOPES).default('full'))
    .addOption(expires())
    .option('--name <name>', 'what the key is for', aName, 'unnamed')
    .option(
      '--website <domain>',
      'a website that the key is limited to; may be given several times',
      added,
      [],
    )
    .action((email: string, { scope, name, website, expires }: CreateOptions) =>
      run(async (services) => {
        const user = await userOf(services.get(UsersService, { strict: false }), email);
        const websites = await websitesOf(
          services.get(WebsitesRepository, { strict: false }),
          user.id,
          website,
        );
        const wish = { scope, name, websites, expiresAt: expires ?? null };
        print(await services.get(ApiKeysService, { strict: false }).create(user.id, wish));
      }),
    );

  key
    .command('list <email>')
    .description('List the keys of a user, by their first characters')
    .action((email: string) =>
      run(async (services) => {
        const user = await userOf(services.get(UsersService, { strict: false }), email);
        show(await services.get(ApiKeysService, { strict: false }).list(user.id));
      }),
    );

  key
    .command('revoke')
    .argument('<id>', 'the id of a key, as listed', anId)
    .description('Revoke a key; it stops working at once')
    .action((id: number) => using(run, ApiKeysService, (keys) => revoke(keys, id)));

  key
    .command('rotate')
    .argument('<id>', 'the id of a key, as listed', anId)
    .description('Replace a key: same permissions, old key revoked at once; prints only the new key')
    .addOption(expires())
    .action((id: number, options: { expires?: Date }) =>
      using(run, ApiKeysService, (keys) => rotate(keys, id, options.expires)),
    );
};

async function userOf(users: UsersService, email: string) {
  const user = await users.find(email);
  if (!user) throw new CommandError(`user ${email} does not exist`);
  return user;
}

function added(domain: string, domains: string[]): string[] {
  if (domains.length === MAX_WEBSITES_OF_KEY)
    throw new InvalidArgumentError(`A key can be limited to at most ${MAX_WEBSITES_OF_KEY} websites.`);
  return [...domains, domain];
}

async function websitesOf(
  websites: WebsitesRepository,
  userId: number,
  domains: string[],
): Promise<number[] | null> {
  const ids: number[] = [];
  for (const domain of domains) {
    const id = await websites.idOf(userId, domain);
    if (id === undefined) throw new CommandError(`the user has no website ${domain}`);
    ids.push(id);
  }
  return ids.length === 0 ? null : [...new Set(ids)];
}

async function revoke(keys: ApiKeysService, id: number): Promise<void> {
  if (await keys.revoke(id)) return;
  throw new CommandError((await keys.find(id)) ? `key ${id} is already revoked` : `key ${id} does not exist`);
}

async function rotate(keys: ApiKeysService, id: number, expiresAt?: Date): Promise<void> {
  const key = await keys.find(id);
  if (!key) throw new CommandError(`key ${id} does not exist`);
  if (stateOf(key) === 'expired' && !expiresAt)
    throw new CommandError(`key ${id} has expired; give the new one a time with --expires`);
  const secret = await keys.rotate(key, expiresAt ?? key.expiresAt);
  if (!secret) throw new CommandError(`key ${id} is already revoked`);
  print(secret);
}

function show(keys: ApiKey[]): void {
  printTable(
    ['ID', 'KEY', 'SCOPE', 'STATE', 'EXPIRES', 'LAST USED', 'WEBSITES', 'NAME'],
    keys.map((key) => [
      String(key.id),
      `${key.prefix}…`,
      key.scope,
      stateOf(key),
      key.expiresAt?.toISOString() ?? 'never',
      key.lastUsedAt?.toISOString() ?? 'never',
      key.websites?.join(',') ?? 'all',
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
    'a number of days from now like 90d, or a moment like 2030-01-31T12:00:00Z',
  ).argParser(aMoment);
}

function aMoment(text: string): Date {
  const moment = momentOf(text);
  if (!moment || moment.getTime() <= Date.now())
    throw new InvalidArgumentError('Use a number of days like 90d, or a future moment in UTC.');
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
  try {
    return displayName(text);
  } catch (error) {
    if (error instanceof NotAllowed) throw new InvalidArgumentError(`It ${error.message}.`);
    throw error;
  }
}

function anId(text: string): number {
  const id = positiveInteger(text);
  if (id === undefined) throw new InvalidArgumentError('Use a number as listed.');
  return id;
}
