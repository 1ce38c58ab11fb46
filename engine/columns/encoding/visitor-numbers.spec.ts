import { randomBytes } from 'node:crypto';
import { VisitorNumbers } from './visitor-numbers';

it('numbers visitors from 1, each always the same', () => {
  const visitors = Array.from({ length: 5000 }, () => randomBytes(8).toString('base64url'));
  const numbers = new VisitorNumbers();
  const first = visitors.map((visitor) => numbers.of(visitor));
  expect(first).toEqual(visitors.map((_, index) => index + 1));
  expect(visitors.map((visitor) => numbers.of(visitor))).toEqual(first);
});

it('tells visitors of columns apart, whose names differ in few bits', () => {
  const numbers = new VisitorNumbers();
  const visitors = Array.from({ length: 200_000 }, (_, index) => {
    const name = Buffer.alloc(8);
    name.writeUInt32LE(index, 0);
    return name.toString('base64url');
  });
  expect(visitors.filter((visitor, index) => numbers.of(visitor) !== index + 1)).toEqual([]);
});

it('takes a visitor of zeros for one, and none for none', () => {
  const numbers = new VisitorNumbers();
  expect(numbers.of('')).toBeNull();
  expect([numbers.of(Buffer.alloc(8).toString('base64url')), numbers.of('')]).toEqual([1, null]);
});
