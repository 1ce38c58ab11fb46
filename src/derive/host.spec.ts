import { hostIn, parseUrl } from './host';

const CJK = String.fromCharCode(...Array.from({ length: 2700 }, (_, index) => 0x4e00 + index));

it.each([
  `https://${CJK}/`,
  ` https://${CJK}/`,
  `HTTPS:${CJK}`,
  `https:/${CJK}/`,
  `https:\\\\${CJK}\\a`,
  `https:////${CJK}?a`,
  `https:/\t/\n/${CJK}`,
  `https://user:word@${CJK}:443/`,
  `h\tttps://${CJK}/`,
  `wss://${CJK}#a`,
  `https://${'a'.repeat(256)}`,
])('parses no address with a host that is too long: %#', (address) => {
  const parse = jest.spyOn(global, 'URL');
  expect(parseUrl(address)).toBeUndefined();
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
  expect(hostIn(address)).toBeNull();
});

it.each([
  [`https://${'a.'.repeat(120)}example/`, `${'a.'.repeat(120)}example`],
  [`https://example.com/${CJK}?${CJK}#${CJK}`, 'example.com'],
  ['https:example.com', 'example.com'],
  [' https://bücher.example\\a', 'xn--bcher-kva.example'],
])('finds the host of %s', (address, host) => {
  expect(hostIn(address)).toBe(host);
});
