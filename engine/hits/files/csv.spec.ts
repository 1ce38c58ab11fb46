import { csvLine } from './csv';

it('separates by commas and ends with CRLF', () => {
  expect(csvLine(['value', 'count'])).toBe('value,count\r\n');
});

it.each([
  ['plain', 'plain'],
  ['with blanks ', 'with blanks '],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['a\nb', '"a\nb"'],
  ['a\r\nb', '"a\r\nb"'],
  ['München 🏔', 'München 🏔'],
  ['', ''],
  [null, ''],
  [0, '0'],
  [-5, '-5'],
  [true, 'true'],
  [false, 'false'],
  ['-5', '-5'],
  ['-5.25', '-5.25'],
])('writes %j as %s', (cell, text) => {
  expect(csvLine([cell])).toBe(`${text}\r\n`);
});

it.each([
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-5-2', "'-5-2"],
  ['@name', "'@name"],
  ['\tx', `"'\tx"`],
  ['a;=1', `"a;'=1"`],
  [';=1+1;x', `";'=1+1;x"`],
  ['a;+1;-1;@a', `"a;'+1;'-1;'@a"`],
  ['a\t=1', `"a\t'=1"`],
  ['a\r\n=1', `"a\r\n'=1"`],
  ['a; \u200b=1', `"a; \u200b'=1"`],
  ['a;"=1', `"a;""'=1"`],
  ['a;＝1', `"a;'＝1"`],
  ['a;b=1', '"a;b=1"'],
  ['a; b', '"a; b"'],
  ['{"a":";=1"}', `"{""a"":"";'=1""}"`],
  ['\rx', `"'\rx"`],
  ['\n=x', `"'\n'=x"`],
  ['＝1', "'＝1"],
  ['=HYPERLINK("//x","y")', `"'=HYPERLINK(""//x"",""y"")"`],
  [' =1', "' =1"],
  ['\u00a0\u2003=1', "'\u00a0\u2003=1"],
  ['\u200b+1', "'\u200b+1"],
  ['\u202e\u2066@a', "'\u202e\u2066@a"],
  ['\ufeff-1', "'\ufeff-1"],
  ['\u0001=1', "'\u0001=1"],
  ['\0=1', '\ufffd=1'],
  ['a\0b', 'a\ufffdb'],
  [' a=1', ' a=1'],
  ['a=1', 'a=1'],
  ['/-', '/-'],
])('lets no spreadsheet take %j for a formula', (cell, text) => {
  expect(csvLine([cell])).toBe(`${text}\r\n`);
});

it('takes as long for a text of blanks as for any other', () => {
  const text = `;${'\t '.repeat(500_000)}a`;
  expect(csvLine([text])).toBe(`"${text}"\r\n`);
});
