import { Room, TextCodes } from './text-codes';
import { OTHER } from '../rules/value-limits';

it('says that texts were merged only once one was', () => {
  const codes = new TextCodes(new Room(100));
  const code = codes.codeOf('a');
  expect([codes.isFull, codes.isMerged]).toEqual([true, false]);
  expect([codes.codeOf('a'), codes.codeOf(null)]).toEqual([code, 0]);
  expect(codes.isMerged).toBe(false);
  expect(codes.codeOf('b')).toBe(codes.codeOf(OTHER));
  expect(codes.isMerged).toBe(true);
});

it('does not say so of texts that fill the room of others', () => {
  const room = new Room(150);
  const [few, many] = [new TextCodes(room), new TextCodes(room)];
  few.codeOf('a');
  for (const text of ['a', 'b', 'c']) many.codeOf(text);
  expect([few.isMerged, many.isMerged]).toEqual([false, true]);
});
