import { randomBytes } from 'node:crypto';
import { decrypt, encrypt, ENCRYPTION_BYTES, Secret } from './secret';

const key = new Secret(randomBytes(32)).key('tests');
const text = Buffer.from('what is kept');

it('decrypts its own ciphertexts, which always differ', () => {
  const one = encrypt(key, text, '1');
  expect(decrypt(key, one, '1')).toEqual(text);
  expect(one).toHaveLength(text.length + ENCRYPTION_BYTES);
  expect(one).not.toEqual(encrypt(key, text, '1'));
  expect(one.includes(text)).toBe(false);
});

it('opens nothing for another context or key, and nothing that was changed', () => {
  const encrypted = encrypt(key, text, '1');
  expect(() => decrypt(key, encrypted, '2')).toThrow();
  expect(() => decrypt(new Secret(randomBytes(32)).key('tests'), encrypted, '1')).toThrow();
  for (const index of encrypted.keys()) {
    const changed = Buffer.from(encrypted);
    changed[index]! ^= 1;
    expect(() => decrypt(key, changed, '1')).toThrow();
  }
  expect(() => decrypt(key, encrypted.subarray(0, 20), '1')).toThrow();
});

it('has another key for each purpose', () => {
  const secret = new Secret(randomBytes(32));
  expect(secret.key('one')).toEqual(secret.key('one'));
  expect(secret.key('one')).not.toEqual(secret.key('two'));
});
