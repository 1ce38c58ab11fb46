import { VISITOR_BYTES } from '../../engine/ground/visitor-bytes';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { visitorHash } from './visitor';

const salt = Buffer.alloc(32, 7);

it.each(['Mozilla/5.0', '', 'é€😀'.repeat(500), '€'.repeat(2020), 'a'.repeat(2020), 'a'.repeat(9000)])(
  'is the beginning of an HMAC under the salt, whatever the agent',
  (agent) => {
    const message = JSON.stringify([7, '203.0.113.7', agent]);
    const expected = createHmac('sha256', salt).update(message).digest();
    expect(visitorHash(salt, 7, '203.0.113.7', agent)).toBe(
      expected.subarray(0, VISITOR_BYTES).toString('base64url'),
    );
  },
);

it('differs with each of its fields', () => {
  const hashes = [
    visitorHash(salt, 1, '203.0.113.7', 'a'),
    visitorHash(Buffer.alloc(32, 8), 1, '203.0.113.7', 'a'),
    visitorHash(salt, 11, '203.0.113.7', 'a'),
    visitorHash(salt, 1, '203.0.113.70', 'a'),
    visitorHash(salt, 1, '203.0.113.7', 'A'),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});

it('never takes a part of one field for a part of the next', () => {
  const field = fc.string({ unit: fc.constantFrom('1', '"', ',', '\\', ' ', '\0') });
  const visitor = fc.tuple(fc.nat(11), field, field);
  fc.assert(
    fc.property(visitor, visitor, (a, b) => {
      const same = visitorHash(salt, ...a) === visitorHash(salt, ...b);
      expect(same).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
    { numRuns: 1000 },
  );
});
