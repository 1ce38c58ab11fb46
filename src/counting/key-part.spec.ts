import { randomBytes } from 'node:crypto';
import { KeyPart } from './key-part';

const HASHES = [...Array.from({ length: 500 }, () => randomBytes(8)), Buffer.alloc(8), Buffer.alloc(8, 0xff)];

it.each([1, 2, 3, 7, 64, 4096])('of %d has each key once, and all that lie between its bounds', (size) => {
  const parts = Array.from({ length: size }, (_, index) => new KeyPart(index, size));
  for (const hash of HASHES) {
    const having = parts.filter((part) => part.has(hash.toString('base64url')));
    const around = parts.filter(
      ({ after, before }) => Buffer.compare(hash, after) > 0 && Buffer.compare(hash, before) < 0,
    );
    expect(having).toHaveLength(1);
    expect(around).toEqual(having);
  }
});
