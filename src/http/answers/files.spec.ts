import { Readable } from 'node:stream';
import { FILE_FORMATS } from '../../../engine/hits/files/file-formats';
import { fileText } from './files';

const [csv, ndjson] = FILE_FORMATS;
const COLUMNS = ['value', 'count'];

function fileOf(format: typeof csv, pieces: AsyncIterable<object[]>) {
  return fileText(format!.head(COLUMNS), format!.lines(COLUMNS), pieces);
}

async function textOf(format: typeof csv, ...pieces: object[][]): Promise<string> {
  let text = '';
  for await (const part of fileOf(format, Readable.from(pieces))) text += String(part);
  return text;
}

const A = { count: 1, value: 'a', label: 'left out of CSV' };
const B = { value: null, count: 2 };

it('writes CSV by column, under one line of names', async () => {
  expect(await textOf(csv, [A], [], [B, A])).toBe('value,count\r\na,1\r\n,2\r\na,1\r\n');
});

it('writes NDJSON by row', async () => {
  expect(await textOf(ndjson, [B], [{ value: 'a\n"b"', count: 1 }])).toBe(
    '{"value":null,"count":2}\n{"value":"a\\n\\"b\\"","count":1}\n',
  );
});

it('writes rows that are alike, and members that come, go and have no value', async () => {
  const rows = [
    { value: 'a', count: 1 },
    { value: 'a', count: NaN },
    { value: undefined, count: 1, more: { a: [1] } },
    {},
    { count: -0, value: '=1' },
    { count: 0, value: '=1' },
    { count: '0', value: ['a'] },
  ];
  expect(await textOf(ndjson, rows)).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  expect(await textOf(csv, rows)).toBe(
    `value,count\r\na,1\r\na,NaN\r\n,1\r\n,\r\n'=1,0\r\n'=1,0\r\n"[""a""]",0\r\n`,
  );
});

it('writes what is left of nothing', async () => {
  for (const pieces of [[], [[]]]) {
    expect(await textOf(csv, ...pieces)).toBe('value,count\r\n');
    expect(await textOf(ndjson, ...pieces)).toBe('');
  }
});

it('writes nothing before the first piece is there', async () => {
  async function* failing(): AsyncGenerator<object[]> {
    yield await Promise.reject(new Error('no table'));
  }
  await expect(fileOf(csv, failing()).next()).rejects.toThrow('no table');
});

it('ends with its source where nobody wants the rest', async () => {
  let ended = false;
  async function* endless(): AsyncGenerator<object[]> {
    try {
      for (;;) yield await Promise.resolve([A]);
    } finally {
      ended = true;
    }
  }
  for await (const text of fileOf(csv, endless())) if (text) break;
  expect(ended).toBe(true);
});

it('lets others have their turn between pieces', async () => {
  async function* atOnce(): AsyncGenerator<object[]> {
    for (let piece = 0; piece < 3; piece++) yield await Promise.resolve([A]);
  }
  const text = fileOf(csv, atOnce());
  expect((await text.next()).value).toBe('value,count\r\n');
  await text.next();
  let othersHadTheirTurn = false;
  setImmediate(() => (othersHadTheirTurn = true));
  await text.next();
  expect(othersHadTheirTurn).toBe(true);
});
