import { encodeHits, FIELD_PLACES, NO_HIT } from './hit';
import { HitRows } from './hit-rows';
import { Room, TextCodes } from './text-codes';
import { OTHER } from './value-limits';

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

it.each(['a', '漢', '\u0001'])('counts the bytes of what %j is written as', (character) => {
  const room = new Room(Infinity);
  const page = character.repeat(1000);
  const rows = new HitRows();
  rows.read(encodeHits([{ ...NO_HIT, page }]), 1);
  const codes = new TextCodes(room);
  for (let hit = 0; hit < 2; hit++)
    expect(codes.texts[codes.codeOfField(rows, 0, FIELD_PLACES.page)]).toBe(page);
  const written = Buffer.byteLength(JSON.stringify(page));
  expect(room.used).toBeGreaterThan(2 * written + page.length);
  expect(room.used).toBeLessThan(2 * written + 2 * page.length + 1000);
});
