import { InvalidFields } from '../common/problem';
import { parseBrowserEvent, parseServerEvent } from './event';

const url = 'https://example.com/';
const id = '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10';
const server = { url, id, ip: '203.0.113.7', user_agent: 'a' };
const nothing = { url, domain: null, referrer: null, language: null, screen: null, event: null, id: null };

function errorsOf(parse: () => unknown): object {
  try {
    parse();
  } catch (error) {
    if (error instanceof InvalidFields) return error.errors!;
    throw error;
  }
  return {};
}

it('needs no more than the address of a page', () => {
  expect(parseBrowserEvent({ url })).toEqual(nothing);
});

it('takes null and an empty text for nothing', () => {
  const empty = { domain: '', referrer: '', language: '', screen: '', id: '' };
  expect(parseBrowserEvent({ url, ...empty, event: null })).toEqual(nothing);
});

it('keeps what it is told, in the one form that it has', () => {
  const sent = { url, domain: 'WWW.Example.com', referrer: ' a ', language: 'DE', screen: '1x1' };
  expect(parseBrowserEvent({ ...sent, event: { name: ' a ' }, id })).toEqual({
    ...sent,
    domain: 'example.com',
    event: ' a ',
    id,
  });
});

it.each<[unknown, number | null]>([
  [undefined, null],
  [null, null],
  ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00:00.5+02:00', Date.UTC(2026, 0, 31, 10, 0, 0, 500)],
])('reads of a server the moment %p', (occurred_at, occurredAt) => {
  const event = parseServerEvent({ ...server, ip: '::ffff:203.0.113.7', occurred_at });
  expect(event).toEqual({ ...nothing, id, ip: '203.0.113.7', userAgent: 'a', occurredAt });
});

it('takes an empty user agent of a server, which is one of a bot', () => {
  expect(parseServerEvent({ ...server, user_agent: '' }).userAgent).toBe('');
});

it.each([null, undefined, 7, 'text', [], [{ url }]])('is no object: %p', (sent) => {
  expect(errorsOf(() => parseBrowserEvent(sent))).toEqual({ body: ['must be an object of fields'] });
});

it('still reads an address with an umlaut when it has read many others', () => {
  const umlaut = { url: 'https://mühle.example/' };
  for (let before = 0; before < 20_000; before++) parseBrowserEvent({ url });
  for (let time = 0; time < 1000; time++) expect(errorsOf(() => parseBrowserEvent(umlaut))).toEqual({});
});

it('names every field that is wrong', () => {
  const wrong = { referrer: 1, screen: 'x', event: { name: '' }, ip: '::1', ['__proto__']: 1, toString: 1 };
  const expected = ['__proto__', 'event', 'ip', 'referrer', 'screen', 'toString', 'url'];
  expect(Object.keys(errorsOf(() => parseBrowserEvent(wrong))).sort()).toEqual(expected);
  expect(Object.keys(errorsOf(() => parseServerEvent({}))).sort()).toEqual(['id', 'ip', 'url', 'user_agent']);
});

it('takes nothing from a prototype', () => {
  expect(Object.keys(errorsOf(() => parseBrowserEvent(Object.create({ url }))))).toEqual(['url']);
});
