import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY_MS, dayText } from '../common/days';
import type { Settings } from '../config/settings';

const SHOWN_DAYS = 30;
const IN_A_CLONE = 'Make a month of traffic to look at: npm run -s demo\nCtrl-C stops the service.\n\n';

type Places = Pick<Settings, 'database' | 'secretFile'>;

/** What the output of the first start says. A key stays in the log of whatever keeps the output, so only people see it. */
export async function firstKeyText(
  key: string,
  address: string,
  { database, secretFile }: Places,
  isTerminal: boolean,
): Promise<string> {
  if (isTerminal)
    return `\nYour API key, shown this once:\n\n  ${key}\n${nextSteps(address, key)}${IN_A_CLONE}`;
  const file = fileOf({ database, secretFile });
  try {
    await writeKey(file, key);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `\nThe first API key was not kept: ${file} cannot be written (${code}).\nMake another with the command: key create admin@localhost\n`;
  }
  return `\nYour API key is in ${file}. Read it, and remove the file.\n${nextSteps(address, `$(cat ${file})`)}`;
}

/** A process that is killed after it stored the first key, and before it wrote the file, leaves a key that nobody has. */
export function unusedKeyText(email: string, places: Places): string {
  if (existsSync(fileOf(places))) return '';
  return `\nNo API key has been used yet. If the first one is lost, make another with the command: key create ${email}\n`;
}

function fileOf({ database, secretFile }: Places): string {
  return join(dirname(database.kind === 'sqlite' ? database.path : secretFile), 'first-key');
}

/** A file that is there already may be readable by others. */
async function writeKey(file: string, key: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(file, { force: true });
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
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
