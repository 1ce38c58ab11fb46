import fc from 'fast-check';
import {
  DamagedTexts,
  MAX_TEXT_ROW_BYTES,
  type TextRow,
  type Texts,
  textRow,
  textsIn,
} from './value-texts-format';

const TABLE = { websiteId: 7, generation: 2, name: 3 };

function textsOf(values: string[], firstCode = 0): Texts {
  const bytes = values.map((value) => Buffer.from(value));
  let end = 0;
  return {
    firstCode,
    bytes: Buffer.concat(bytes),
    ends: Uint32Array.from(bytes, ({ length }) => (end += length)),
  };
}

function valuesIn(row: TextRow): string[] {
  const { bytes, ends } = textsIn(row);
  return Array.from(ends, (end, index) => bytes.toString('utf8', index === 0 ? 0 : ends[index - 1]!, end));
}

it('gives back the texts that were written', () => {
  const value = fc.string({ unit: 'grapheme', maxLength: 300 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 50 }), fc.nat(1000), (all, first) => {
      const row = textRow(TABLE, textsOf(all, first));
      expect([row.firstCode, row.size]).toEqual([first, all.length]);
      expect(valuesIn(row)).toEqual(all);
      expect(row.data.length).toBeLessThanOrEqual(MAX_TEXT_ROW_BYTES);
    }),
  );
});

it('deflates many texts', () => {
  const all = Array.from({ length: 5000 }, (_, index) => `/articles/2024/a-title-of-something/${index}`);
  const row = textRow(TABLE, textsOf(all));
  expect(valuesIn(row)).toEqual(all);
  expect(row.data.length).toBeLessThan(50_000);
});

it('notices any change of a byte, and a row in another one’s place', () => {
  const row = textRow(TABLE, textsOf(['/a', '/b', '/ä'], 4));
  for (let at = 0; at < row.data.length; at++) {
    const data = Buffer.from(row.data);
    data[at]! ^= 1;
    expect(() => textsIn({ ...row, data })).toThrow(DamagedTexts);
  }
  for (const cut of [0, 1, 4, 5, row.data.length - 1])
    expect(() => textsIn({ ...row, data: row.data.subarray(0, cut) })).toThrow(DamagedTexts);
  for (const other of [{ websiteId: 8 }, { generation: 3 }, { name: 4 }, { firstCode: 5 }, { size: 2 }])
    expect(() => textsIn({ ...row, ...other })).toThrow(DamagedTexts);
});

it('names what is damaged', () => {
  expect(() => textsIn({ ...TABLE, firstCode: 4, size: 1, data: Buffer.alloc(9) })).toThrow(
    'Values of page are damaged or missing (website 7, from code 4 on).',
  );
});
