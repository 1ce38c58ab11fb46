import type { INestApplicationContext } from '@nestjs/common';
import { CommandError } from '../../engine/ground/errors';
import type { Commands } from '../common/commands/command';
import { Settings } from '../config/settings';
import { Database } from '../../engine/database/database';
import { RetentionClock } from '../../engine/database/retention-clock';
import { day } from '../../engine/ground/time/parsed';
import type { Website } from '../websites/website.entity';
import { WebsitesRepository } from '../websites/websites.repository';
import { countsInSql, STORE_COMMANDS } from '../hits/store-commands';
import { StatsRepository } from './stats.repository';

interface Options {
  domain?: string;
  from?: string;
  inSql?: true;
  back?: true;
  giveUp?: true;
  adopt?: true;
}

const OPTIONS = {
  from: { flag: '--from <day>', text: 'the first day, as Y-m-d, to resume after an interruption' },
  inSql: {
    flag: '--in-sql',
    text: 'also count each day in SQL, which writes its hits as rows and removes them',
  },
  back: { flag: '--back', text: 'bring them back into the columns of the database' },
  giveUp: {
    flag: '--give-up',
    text: 'with --back, give up the hits of days whose rows are missing for good; their statistics by name stay',
  },
  adopt: {
    flag: '--adopt',
    text: 'let no other database remove rows of the table of ClickHouse; "hits verify" does so if all rows are there',
  },
};

/** The commands that the store offers, by group. */
const commandsOf =
  (group: 'stats' | 'hits'): Commands =>
  (parent, run) => {
    for (const { name, description, options, run: work } of STORE_COMMANDS.filter(
      (own) => own.group === group,
    )) {
      const command = parent.command(name).description(description);
      command.option('--domain <domain>', 'only this website; all websites by default');
      for (const option of options) command.option(OPTIONS[option].flag, OPTIONS[option].text);
      command.action((chosen: Options) => run((services) => runWith(services, work, chosen)));
    }
  };

export const statsCommands = commandsOf('stats');
export const hitsCommands = commandsOf('hits');

/** Compares all rollups with the hits. */
export async function verifyAll(services: INestApplicationContext): Promise<void> {
  const { run } = STORE_COMMANDS.find(({ group, name }) => group === 'stats' && name === 'verify')!;
  await runWith(services, run, {});
}

async function runWith(
  services: INestApplicationContext,
  work: (typeof STORE_COMMANDS)[number]['run'],
  chosen: Options,
): Promise<void> {
  const websites = await chosenFrom(services, chosen);
  const from = chosen.from === undefined ? 0 : firstDay(chosen.from);
  const get = <T>(type: abstract new (...parameters: never[]) => T) =>
    services.get<T>(type, { strict: false });
  const [database, settings, stats] = [get(Database), get(Settings), get(StatsRepository)];
  const inSql = countsInSql(database, settings.timezone, (hitQuery) => stats.statementsFor(hitQuery));
  const tools = { database, clock: get(RetentionClock), settings, inSql };
  const { inSql: recounts = false, back = false, giveUp = false, adopt = false } = chosen;
  await work(tools, websites, { from, inSql: recounts, back, giveUp, adopt });
}

async function chosenFrom(services: INestApplicationContext, { domain }: Options): Promise<Website[]> {
  const websites = await services.get(WebsitesRepository, { strict: false }).listUnscoped();
  const chosen = websites.filter((website) => domain === undefined || website.domain === domain);
  if (domain !== undefined && chosen.length === 0) throw new CommandError(`website ${domain} does not exist`);
  return chosen;
}

function firstDay(text: string): number {
  try {
    return day(text);
  } catch (error) {
    throw new CommandError(`--from ${(error as Error).message}`);
  }
}
