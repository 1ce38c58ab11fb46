import { newSecret } from '../auth/api-keys.service';
import { DAY_MS, dayText } from '../../engine/ground/time/days';
import { COMMAND_LINE } from '../config/command-line';
import type { Settings } from '../config/settings';
import { KeyFile } from './key-file';
import type { UsersService } from './users.service';

const SHOWN_DAYS = 30;
const ON_A_TERMINAL = `Demo data to look at: ${COMMAND_LINE} demo\nCtrl-C stops the service.\n\n`;

type Users = Pick<UsersService, 'areThere' | 'bootstrap' | 'onlyUserWithoutUse'>;
type Start = Pick<Settings, 'database' | 'keyFolder' | 'bootstrapApiKey'>;

/**
 * Creates the first user if there is none and no setting has its key, and returns the text to print about the key. Only
 * a terminal gets the key itself, because other output may be logged. If several processes start together, one creates
 * the user.
 */
export async function firstKeyText(
  users: Users,
  start: Start,
  address: string,
  isTerminal: boolean,
): Promise<string> {
  if (start.bootstrapApiKey !== undefined) return '';
  const file = new KeyFile(start);
  if (await users.areThere()) return readUnusedKeyText(users, file);
  const key = newSecret();
  try {
    await file.write(key);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `\nNo API key was created: ${file.path} cannot be written (${code}).\nStart again with BOOTSTRAP_API_KEY, or run the command: user create EMAIL\n`;
  }
  if (!(await users.bootstrap(key))) {
    await file.remove();
    return '';
  }
  const path = await file.publish();
  return isTerminal
    ? `\nYour API key, also in ${path}, a file that you may delete:\n\n  ${key}\n${nextSteps(address, key)}${ON_A_TERMINAL}`
    : `\nYour API key is in ${path}. Read it, and remove the file.\n${nextSteps(address, `$(cat ${path})`)}`;
}

async function readUnusedKeyText(users: Users, file: KeyFile): Promise<string> {
  const user = await users.onlyUserWithoutUse();
  if (!user || file.isThere()) return '';
  return `\nNo API key has been used yet. If the first one is lost, create another:\n\n  ${COMMAND_LINE} key create ${user.email}\n\n`;
}

function nextSteps(address: string, key: string): string {
  const today = Math.floor(Date.now() / DAY_MS);
  const range = `from=${dayText(today - SHOWN_DAYS + 1)}&to=${dayText(today)}`;
  return `
Sign in with it at ${address}/, or register a website in another terminal, and read the statistics of the id that it gets:

  export KEY=${key}
  curl -H "Authorization: Bearer $KEY" ${address}/api/v1/websites -d domain=example.com
  curl -H "Authorization: Bearer $KEY" '${address}/api/v1/stats/1?name=page&${range}'

`;
}
