import { TextList } from './text-list';

const TEXTS = ['', '/', '/a', '/ä', '/日本', '/😀', 'a'.repeat(3000), '(direct)'];

describe('TextList', () => {
  it('numbers texts in the order in which they come', () => {
    const list = new TextList();
    expect(TEXTS.map((text) => list.codeOf(text))).toEqual(TEXTS.map((_, code) => code));
    expect(TEXTS.map((text) => list.codeOf(text))).toEqual(TEXTS.map((_, code) => code));
    expect(TEXTS.map((text) => list.find(text))).toEqual(TEXTS.map((_, code) => code));
    expect(list.find('/b')).toBe(-1);
    expect(TEXTS.map((_, code) => list.textOf(code))).toEqual(TEXTS);
  });

  it('finds texts that were added without a look at others', () => {
    const list = new TextList();
    list.addAll(Buffer.from('/a/bb/ccc'), [2, 5, 9]);
    expect(['/bb', '/a', '/ccc', '/d'].map((text) => list.codeOf(text))).toEqual([1, 0, 2, 3]);
    list.addAll(Buffer.from('/e'), [2]);
    expect(list.find('/e')).toBe(4);
    expect(list.find('/d')).toBe(3);
  });

  it('knows very many texts', () => {
    const list = new TextList();
    for (let index = 0; index < 20_000; index++) expect(list.codeOf(`/page/${index}`)).toBe(index);
    for (let index = 0; index < 20_000; index++) expect(list.find(`/page/${index}`)).toBe(index);
  });

  it('compares texts by their bytes, which is by code point', () => {
    const list = new TextList();
    const texts = ['b', 'a', '', 'ab', '😀', '\u{ffff}', 'aa', 'ä'];
    for (const text of texts) list.codeOf(text);
    const order = texts.map((_, code) => code).sort((one, other) => list.compare(one, other));
    expect(order.map((code) => texts[code])).toEqual(
      [...texts].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
  });
});
