import { mailAddress, sender, smtpServer } from './mail-settings';

it.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, tls: 'offered', login: undefined }],
  ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, tls: 'implicit', login: undefined }],
  ['smtp://localhost:25', { host: 'localhost', port: 25, tls: 'unused', login: undefined }],
  ['smtp://[::1]:25/', { host: '::1', port: 25, tls: 'unused', login: undefined }],
  [
    'smtp://ann%40example.com:p%3Aw@mail.example.com:2525',
    {
      host: 'mail.example.com',
      port: 2525,
      tls: 'required',
      login: { user: 'ann@example.com', password: 'p:w' },
    },
  ],
])('reads the mail server %s', (text, server) => {
  expect(smtpServer(text)).toEqual(server);
});

it.each([
  'mail.example.com',
  'http://mail.example.com',
  'smtp://',
  'smtp://mail.example.com/path',
  'smtp://mail.example.com?tls=off',
  'smtp://user:se%cret@mail.example.com',
  'smtp://user@mail.example.com',
])('refuses the mail server %s, and repeats no password', (text) => {
  expect(() => smtpServer(text)).toThrow(/^(is not an address|names a user|has a broken)/);
});

it.each([
  ['stats@example.com', { name: '', address: 'stats@example.com' }],
  ['Our Statistics <stats@example.com>', { name: 'Our Statistics', address: 'stats@example.com' }],
  ['stats@münchen.example', { name: '', address: 'stats@xn--mnchen-3ya.example' }],
])('reads the sender %s', (text, known) => {
  expect(sender(text)).toEqual(known);
});

it.each(['stats', 'a@b@c.example', 'A <a@b.example>, B <b@b.example>', 'A\nBcc: <a@b.example>'])(
  'refuses the sender %j',
  (text) => {
    expect(() => sender(text)).toThrow('is not an address');
  },
);

it.each([
  ['ann@example.com', 'ann@example.com'],
  ['ann.o+x@example.com', 'ann.o+x@example.com'],
  ['jörg@example.com', undefined],
  ['a@b', 'a@b'],
  ['"a b"@example.com', undefined],
  ['a\r\n@example.com', undefined],
  ['a,b@example.com', undefined],
  ['<a@example.com>', undefined],
  ['a@exa mple.com', undefined],
  ['a@-example.com', undefined],
  ['@example.com', undefined],
  [`a@${'b'.repeat(260)}.example`, undefined],
  [`a@${'b'.repeat(63)}.example`, `a@${'b'.repeat(63)}.example`],
  [`a@${'b'.repeat(64)}.example`, undefined],
  [`a@${`${'ü'.repeat(55)}.`.repeat(4)}example`, undefined],
])('takes %j for the address %j', (text, address) => {
  expect(mailAddress(text)).toBe(address);
});
