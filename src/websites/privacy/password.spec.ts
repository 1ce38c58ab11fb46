import { scryptSync } from 'node:crypto';
import { hashPassword } from './password';

const CALLER = { owner: 1 };

function isHashOf(hash: string, password: string): boolean {
  const [, N, r, p, salt, expected] = hash.split('$');
  const cost = { N: Number(N), r: Number(r), p: Number(p), maxmem: 64 * 1024 * 1024 };
  return scryptSync(password, Buffer.from(salt!, 'base64url'), 32, cost).toString('base64url') === expected;
}

it('hashes a password in one form, however its characters were composed', async () => {
  const decomposed = await hashPassword(CALLER, 'cafe\u0301 \uff11');
  expect(isHashOf(decomposed, 'caf\u00e9 1')).toBe(true);
  expect(isHashOf(decomposed, 'cafe 1')).toBe(false);
});

it('is not computed for a caller who has left', async () => {
  const signal = AbortSignal.abort(new Error('left'));
  await expect(hashPassword({ owner: 1, signal }, 'password')).rejects.toThrow('left');
});
