import { InvalidFields } from '../../../engine/ground/errors';
import { parsePageAddress } from '../../derive/page/page-address';
import { parseBrowserEvent, parseServerEvent } from './event';

const url = 'https://example.com/';
const id = '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10';
const server = { url, id, ip: '203.0.113.7', user_agent: 'a' };
const nothing = {
  url: parsePageAddress(url),
  domain: null,
  referrer: null,
  title: null,
  language: null,
  screen: null,
  event: null,
  id: null,
};

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
  const empty = { domain: '', referrer: '', title: ' ', language: '', screen: '', id: '' };
  expect(parseBrowserEvent({ url, ...empty, event: null })).toEqual(nothing);
});

it('normalises the fields', () => {
  const sent = {
    url,
    domain: 'WWW.Example.com',
    referrer: 'https://WWW.a.example/b',
    title: ' a\n b ',
    language: 'DE',
    screen: '1x1',
  };
  expect(parseBrowserEvent({ ...sent, event: { name: ' a ' }, id })).toEqual({
    ...sent,
    url: nothing.url,
    domain: 'example.com',
    title: 'a b',
    referrer: { host: 'a.example', page: 'a.example/b' },
    event: { name: ' a ', properties: null, value: null, currency: null, isPassive: false, bytes: 6 },
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

it.each([
  '2026-02-30T12:00:00Z',
  '2026-02-29T12:00:00Z',
  '2026-04-31T12:00:00+02:00',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:60:00Z',
  '2026-13-01T12:00:00Z',
  '2026-01-31T12:00:00+25:00',
])('takes %s for no moment', (occurred_at) => {
  expect(Object.keys(errorsOf(() => parseServerEvent({ ...server, occurred_at })))).toEqual(['occurred_at']);
});

it('takes an empty user agent of a server, which is one of a bot', () => {
  expect(parseServerEvent({ ...server, user_agent: '' }).userAgent).toBe('');
});

it('bounds the length of hosts and of user agents', () => {
  const long = `https://${'域'.repeat(2700)}/`;
  expect(errorsOf(() => parseBrowserEvent({ url: long }))).toEqual({
    url: ['must be the address of a page, with http or https'],
  });
  expect(parseBrowserEvent({ url, referrer: long })).toEqual(nothing);
  expect(parseServerEvent({ ...server, user_agent: 'a'.repeat(1024) }).userAgent).toHaveLength(1024);
  expect(errorsOf(() => parseServerEvent({ ...server, user_agent: 'a'.repeat(1025) }))).toEqual({
    user_agent: ['must have at most 1,024 characters'],
  });
});

it('parses no host that is too long, which would take a time that grows with the square of its length', () => {
  const { URL } = globalThis;
  const parsed = jest.spyOn(globalThis, 'URL').mockImplementation((address) => new URL(address));
  const long = (letter: string) => `https://${letter.repeat(2700)}/`;
  expect(errorsOf(() => parseBrowserEvent({ url: long('域'), referrer: long('名') }))).toHaveProperty('url');
  expect(parsed).not.toHaveBeenCalled();
  parseBrowserEvent({ url: 'https://域.example/', referrer: 'https://名.example/' });
  expect(parsed).toHaveBeenCalledTimes(2);
  parsed.mockRestore();
});

it.each([null, undefined, 7, 'text', [], [{ url }]])('rejects %p, which is not an object', (sent) => {
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
