import { storedTitle } from './title';

const UUID = '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10';

it.each([
  ['Pricing – Shop', 'Pricing – Shop'],
  [' a\n\t b ', 'a b'],
  [' \n', null],
  ['Inbox (3) – jane@example.com – Mail', 'Inbox (3) – (removed) – Mail'],
  ['Re: <mailto:jane@example.com>, hello', 'Re: <mailto:(removed)>, hello'],
  ['To jane@example.com. Sent', 'To (removed) Sent'],
  ['Client 203.0.113.7:443 and 2001:db8::1, blocked', 'Client (removed) and (removed), blocked'],
  ['Reset token=abc now', 'Reset (removed) now'],
  ['Open https://a.example/?a=1&access_token=x', 'Open https://a.example/?a=1&(removed)'],
  ['Back ?next=%2F%3Ftoken%3Dabc', 'Back ?(removed)'],
  ['{"access_token":"a b"} password=ab,cd user[password]=x', '{(removed)} (removed) (removed)'],
  ['a/reset/token=abc, access_token%3Dabc', 'a/reset/(removed) (removed)'],
  ['jane@example.com;bob@example.com/x', '(removed);(removed)/x'],
  ['a@b@c.de jane%40example.com jane＠example.com jane@intranet', '(removed) (removed) (removed) (removed)'],
  [
    'http://203.0.113.7/login ip=203.0.113.7 203.0.113.7/24',
    'http://(removed)/login ip=(removed) (removed)/24',
  ],
  ['2001:db8::1/64, 2001:db8::, at 12:30:45', '(removed)/64, (removed), at 12:30:45'],
  [`#${UUID.toUpperCase()} a/${'aB3'.repeat(11)}/b ${'a1'.repeat(20)}`, '#(removed) a/(removed)/b (removed)'],
  ['a-long-slug-with-many-words-and-a-year-2026-in-it', 'a-long-slug-with-many-words-and-a-year-2026-in-it'],
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

it('keeps the beginning of a long word', () => {
  expect(storedTitle(` ${'x'.repeat(2000)}`)).toBe('x'.repeat(255));
  expect(storedTitle(`jane@example.com/${'x'.repeat(600)}`)).toMatch(/^\(removed\)\/x+$/);
});

it('takes no long time for a text that is made for it', () => {
  for (const part of [
    'a@',
    'a.',
    '.',
    ':',
    '1.',
    'a:',
    '=',
    '-',
    'a',
    '1',
    'aB3-',
    ' ',
    '&a=',
    '"',
    '%40',
    '::',
    'eyJ.',
  ])
    for (const end of ['', 'xx', '@', '=']) expect(storedTitle(`a${part.repeat(32_000)}${end}`)).not.toBe('');
});
