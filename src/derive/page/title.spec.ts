import { storedTitle } from './title';

const UUID = '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10';

it.each([
  ['Pricing – Shop', 'Pricing – Shop'],
  [' a\n\t b ', 'a b'],
  [' \n', null],
  ['Inbox (3) – jane@example.com – Mail', 'Inbox (3) – (removed) – Mail'],
  ['Re: <mailto:jane@example.com>, hello', 'Re: <(removed)>, hello'],
  ['To jane@example.com. Sent', 'To (removed) Sent'],
  ['Client 203.0.113.7:443 and 2001:db8::1, blocked', 'Client (removed) and (removed), blocked'],
  ['Reset token=abc now', 'Reset (removed) now'],
  ['Open https://a.example/?a=1&access_token=x', 'Open (removed)'],
  [`Order ${UUID}`, 'Order (removed)'],
  ['eyJhbGciOi.eyJzdWIi.c2ln', '(removed)'],
  [`Key ${'aB3'.repeat(11)}`, 'Key (removed)'],
  ['Version 1.2.3 at 12:30, email: a matter of taste', 'Version 1.2.3 at 12:30, email: a matter of taste'],
  ['Internationalisierungsbeauftragte 2026', 'Internationalisierungsbeauftragte 2026'],
  ['\ud83d', '\ufffd'],
])('of %j stores %j', (sent, stored) => {
  expect(storedTitle(sent)).toBe(stored);
});

it('cuts at a character, at most 255 bytes', () => {
  expect(storedTitle('é'.repeat(200))).toBe('é'.repeat(127));
  expect(storedTitle('🙂'.repeat(100))).toBe('🙂'.repeat(63));
  expect(storedTitle(`${'a'.repeat(250)} jane@example.com`)).toBe(`${'a'.repeat(250)} (rem`);
});

it('looks at no part of a word', () => {
  const words = 'b'.repeat(1000);
  expect(storedTitle(`${words} ${'x'.repeat(20)}jane@example.com`)).toBe('b'.repeat(255));
});

it('takes no long time for a text that is made for it', () => {
  for (const part of ['a@', 'a.', '=', '-', 'aB3', ' ', '&a='])
    expect(storedTitle(part.repeat(32_000))).not.toBe('');
});
