import { randomUUID } from 'node:crypto';
import { eventKey, eventKeyAt, joinEventKeys, keyOfText, textOfKey } from './event-key';

const ID = '5d3c1a52-8a59-4A3E-9a44-0a3a4f4c2f10';
const NIL = '00000000-0000-0000-0000-000000000000';

it('tells ids of browsers and of servers apart', () => {
  expect(eventKey('browser', ID).toString('hex')).toBe('015d3c1a528a594a3e9a440a3a4f4c2f10');
  expect(eventKey('server', ID).toString('hex')).toBe('025d3c1a528a594a3e9a440a3a4f4c2f10');
});

it('does not depend on the case of an id', () => {
  expect(eventKey('browser', ID.toUpperCase())).toEqual(eventKey('browser', ID.toLowerCase()));
});

it('keeps the keys of several events, with and without an id', () => {
  const keys = joinEventKeys('browser', [null, ID, NIL, null])!;
  const read = [0, 1, 2, 3].map((index) => eventKeyAt(keys, index)).map((text) => text && keyOfText(text));
  expect(read).toEqual([undefined, eventKey('browser', ID), eventKey('browser', NIL), undefined]);
});

it('has texts in the order of their keys', () => {
  const keys = Array.from({ length: 200 }, () => eventKey('browser', randomUUID()));
  const texts = keys.map(textOfKey).sort((one, other) => (one < other ? -1 : 1));
  expect(texts.map(keyOfText)).toEqual(keys.sort((one, other) => Buffer.compare(one, other)));
});

it('keeps nothing where no event has an id', () => {
  expect(joinEventKeys('browser', [null, null])).toBeNull();
});
