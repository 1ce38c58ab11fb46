import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Caller, Gate } from '../../../engine/ground/gate';
import { NotAllowed } from '../../../engine/ground/errors';
import { IsText } from '../../validation/rules';

const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const HASH_BYTES = 32;
const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** A hash takes a tenth of a second of a core and of a thread in the pool that files and sockets share. */
const hashing = new Gate({ running: 1, runningOfOwner: 1, waiting: 8, waitingOfOwner: 6, patienceMs: 800 });

export const IsPassword = () =>
  IsText('isPassword', (text) => {
    if ([...text].length > 128) throw new NotAllowed('must have 1 to 128 characters');
  });

/** The hash includes its cost, which can thus be raised later. NFKC, because keyboards compose "é" differently. */
export async function hashPassword(caller: Caller, password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await hashing.run(caller, () => derive(password.normalize('NFKC'), salt, HASH_BYTES, COST));
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Tells whether a password matches a hash. */
export async function isPassword(caller: Caller, password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = stored.split('$');
  const cost = { ...COST, N: Number(N), r: Number(r), p: Number(p) };
  const [own, bytes] = [Buffer.from(hash, 'base64url'), Buffer.from(salt, 'base64url')];
  const sent = await hashing.run(caller, () => derive(password.normalize('NFKC'), bytes, own.length, cost));
  return timingSafeEqual(own, sent);
}
