import { DistinctTexts } from '../../rollups/texts/distinct-texts';
import { SearchIndex } from './search-index';

const KIB = 1024;

function textsOf(list: string[]): DistinctTexts {
  const texts = new DistinctTexts();
  for (const text of list) texts.codeOf(text);
  return texts;
}

async function search(list: string[], wanted: string): Promise<{ found: number[]; pauses: number }> {
  const [texts, index] = [textsOf(list), new SearchIndex('page')];
  await index.matching(texts, '', () => Promise.resolve());
  let pauses = 0;
  const found = await index.matching(texts, wanted, () => Promise.resolve(void pauses++));
  return { found, pauses };
}

const numbered = (count: number, length: number) =>
  Array.from({ length: count }, (_, code) => `/${String(code).padStart(6, '0')}${'a'.repeat(length)}`);

describe('a search', () => {
  it('finds the texts that contain a part, wherever they are', async () => {
    for (const length of [3, 400]) {
      const list = numbered(2000, length);
      for (const wanted of ['77', '/', `${'a'.repeat(length)}`, '7a', '9\0/', 'b'])
        expect((await search(list, wanted)).found).toEqual(
          list.flatMap((text, code) => (text.includes(wanted) ? [code] : [])),
        );
    }
  });

  it.each([3, 300])('finds a text of %s bytes at the border of two steps', async (length) => {
    const part = 'b'.repeat(length);
    for (let offset = 0; offset <= length + 1; offset += length > 3 ? 50 : 1) {
      const list = [...numbered(255, KIB - 8), 'x'.repeat(KIB - 2 - offset), `${part}/`, `y${part}`];
      expect((await search(list, part)).found).toEqual([256, 257]);
    }
  });

  it.each([
    ['a short part', 'ab'],
    ['a long part', `${'a'.repeat(300)}b${'a'.repeat(300)}`],
  ])('pauses at least after each 256 KiB in which %s is not', async (_, wanted) => {
    const { found, pauses } = await search(numbered(2000, KIB), wanted);
    expect(found).toEqual([]);
    expect(pauses).toBeGreaterThanOrEqual((2000 * KIB) / (256 * KIB));
  });

  it('pauses as often if each text contains the part', async () => {
    const { found, pauses } = await search(numbered(2000, KIB), 'aa');
    expect(found).toHaveLength(2000);
    expect(pauses).toBeGreaterThanOrEqual((2000 * KIB) / (256 * KIB));
  });
});
