import type { Filter } from '../filters/filters';
import type { Entry, List } from '../page-answer';
import { columnsOf, nameIn, panelChange, panelsFor, rowsOf, shownIn } from './panels';

const [, , PLACES] = panelsFor({ isOwner: false });
const country = (...values: string[]): Filter => ({ name: 'country', operator: 'is', values });
const MAP = new URLSearchParams('places=map');

it('list countries beside the map, and the cities of the one that is filtered by', () => {
  const listed = (...filters: Filter[]) => nameIn(MAP, PLACES!, filters);
  expect(listed()).toBe('country');
  expect(listed(country('DE'))).toBe('city');
  expect(listed(country('DE', 'FR'))).toBe('country');
  expect(listed({ ...country('DE'), operator: 'is_not' })).toBe('country');
  expect(listed(country('DE'), country('FR'))).toBe('country');
  expect(nameIn(new URLSearchParams(), PLACES!, [country('DE')])).toBe('country');
});

it('have what they show in the address, unless it is the first', () => {
  expect(shownIn(MAP, PLACES!)).toBe('map');
  expect(shownIn(new URLSearchParams('places=page'), PLACES!)).toBe('country');
  expect(panelChange(PLACES!, 'map')).toEqual({ places: 'map' });
  expect(panelChange(PLACES!, 'country')).toEqual({ places: undefined });
});

it('of viewers have nothing that only the owner may see', () => {
  const ids = (isOwner: boolean) => panelsFor({ isOwner }).map(({ id }) => id);
  expect(ids(true)).toEqual([...ids(false), 'properties']);
});

describe('columns', () => {
  const panelsOf = (...rows: number[]) => rows.map((each, index) => ({ id: `${index}`, rows: each }));
  const columns = (rows: number[], count: number, placed = new Map<string, number>()) => [
    ...columnsOf(panelsOf(...rows), count, placed).values(),
  ];

  it('have the first six panels in turn, and the others where there is room', () => {
    expect(columns([10, 1, 10, 1, 10, 1, 2, 2, 2], 2)).toEqual([0, 1, 0, 1, 0, 1, 1, 1, 1]);
    expect(columns([1, 10, 1, 10, 5, 5, 20, 1], 2)).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    expect(columns([9, 1, 9], 1)).toEqual([0, 0, 0]);
  });

  it('keep a panel that has its place', () => {
    expect(columns([10, 1, 10, 1, 10, 1, 2, 2], 2, new Map([['6', 0]]))).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
  });

  it('do not depend on what a panel with tabs lists', () => {
    const short = { entries: [] as Entry[] } as List;
    expect([rowsOf(4, short), rowsOf(4, undefined), rowsOf(1, short)]).toEqual([10, 10, 1]);
  });
});
