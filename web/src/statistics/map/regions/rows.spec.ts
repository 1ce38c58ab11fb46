import { type Region, rowsOf } from './rows';

const COUNTRIES = jest.requireActual<Record<string, Region[]>>('../../../../build/regions.json');
/** Browsers get less, since files are compressed. */
const MAX_LENGTH = 60_000;

it('of each country have paths and names of their own, and a small file', () => {
  for (const [country, regions] of Object.entries(COUNTRIES)) {
    const names = regions.flatMap((region) => region.names);
    expect([country, new Set(names).size]).toEqual([country, names.length]);
    for (const { path } of regions) expect(path).toMatch(/^(?:M\d+,\d+l[-\d ]+z)+$/);
    expect(JSON.stringify(regions).length).toBeLessThan(MAX_LENGTH);
  }
});

it('add up what one shape stands for, and list what has none', () => {
  const rows = rowsOf(
    [
      { value: 'Bavaria, DE', count: 5 },
      { value: 'State of Berlin, DE', count: 3 },
      { value: 'Berlin, DE', count: 4 },
      { value: 'Nowhere, at all, DE', count: 2 },
      { value: '(unknown)', count: 1 },
    ],
    COUNTRIES.DE!,
  );
  expect(rows.map(({ label, count, values }) => [label, count, values.length])).toEqual([
    ['Berlin', 7, 2],
    ['Bavaria', 5, 1],
    ['Nowhere, at all', 2, 1],
    ['Unknown', 1, 1],
  ]);
});

it('are found however a database writes them', () => {
  const found = (country: string, value: string) =>
    rowsOf([{ value: `${value}, ${country}`, count: 1 }], COUNTRIES[country]!)[0]!.label;
  expect(found('FR', 'Île-de-France')).toBe('Île-de-France');
  expect(found('FR', 'Provence')).toBe('Provence-Alpes-Côte d’Azur');
  expect(found('DE', 'Baden-Wurttemberg')).toBe('Baden-Württemberg');
  expect(found('GB', 'England')).toBe('England');
});
