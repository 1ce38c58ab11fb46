import { DistinctTexts } from './distinct-texts';

const TEXTS = ['', '/', '/a', '/ä', '/日本', '/😀', 'a'.repeat(3000), '(direct)'];

describe('TextList', () => {
  it('numbers texts in the order in which they come', () => {
    const list = new DistinctTexts();
    expect(TEXTS.map((text) => list.codeOf(text))).toEqual(TEXTS.map((_, code) => code));
    expect(TEXTS.map((text) => list.codeOf(text))).toEqual(TEXTS.map((_, code) => code));
    expect(TEXTS.map((text) => list.find(text))).toEqual(TEXTS.map((_, code) => code));
    expect(list.find('/b')).toBe(-1);
    expect(TEXTS.map((_, code) => list.textOf(code))).toEqual(TEXTS);
  });

  it('finds texts that were added without a look at others', () => {
    const list = new DistinctTexts();
    list.addAll(Buffer.from('/a/bb/ccc'), [2, 5, 9]);
    expect(['/bb', '/a', '/ccc', '/d'].map((text) => list.codeOf(text))).toEqual([1, 0, 2, 3]);
    list.addAll(Buffer.from('/e'), [2]);
    expect(list.find('/e')).toBe(4);
    expect(list.find('/d')).toBe(3);
  });

  it('knows very many texts, at each size', () => {
    const list = new DistinctTexts();
    for (let index = 0; index < 20_000; index++) {
      expect(list.codeOf(`/page/${index}`)).toBe(index);
      const earlier = (index * 7919) % (index + 1);
      expect(list.find(`/page/${earlier}`)).toBe(earlier);
      expect(list.find(`/page/${index + 1}`)).toBe(-1);
    }
  });

  it('keeps more bytes than lie in one page, and gives some texts to another list', () => {
    const list = new DistinctTexts();
    const text = (index: number) => `${index} ${'x'.repeat(index % 1000)}`;
    for (let index = 0; index < 5000; index++) list.codeOf(index % 50 === 7 ? `/${index}` : text(index));
    const first = new DistinctTexts();
    for (let from = 0; from < 4000; from += 1000) first.addFrom(list, from, from + 1000);
    expect([first.size, first.find(text(4000)), first.codeOf('')]).toEqual([4000, -1, 4000]);
    for (let index = 0; index < 4000; index++) {
      const own = index % 50 === 7 ? `/${index}` : text(index);
      expect([list.textOf(index), first.textOf(index)]).toEqual([own, own]);
      expect([list.find(own), first.find(own)]).toEqual([index, index]);
      expect(Math.sign(list.compare(index, 0))).toBe(Buffer.compare(Buffer.from(own), Buffer.from(text(0))));
    }
    expect(list.bytes).toBeGreaterThan(2_000_000);
  });

  it('compares texts by their bytes, which is by code point', () => {
    const list = new DistinctTexts();
    const texts = ['b', 'a', '', 'ab', '😀', '\u{ffff}', 'aa', 'ä'];
    for (const text of texts) list.codeOf(text);
    const order = texts.map((_, code) => code).sort((one, other) => list.compare(one, other));
    expect(order.map((code) => texts[code])).toEqual(
      [...texts].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
  });
});
