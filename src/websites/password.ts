import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { NotAllowed } from '../common/fields';

const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const HASH_BYTES = 32;
const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

export function parsePassword(sent: string): string {
  if ([...sent].length > 128) throw new NotAllowed('must have 1 to 128 characters');
  return sent;
}

/** The cost stands in the hash, so that it can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, HASH_BYTES, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
