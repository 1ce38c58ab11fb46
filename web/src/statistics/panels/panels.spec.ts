import type { Filter } from '../filters/filters';
import { columnsOf, nameIn, panelChange, panelsFor, shownIn } from './panels';

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

it('are divided into columns in their order', () => {
  expect(columnsOf([1, 2, 3, 4, 5], 2)).toEqual([
    [1, 3, 5],
    [2, 4],
  ]);
  expect(columnsOf([1, 2, 3], 1)).toEqual([[1, 2, 3]]);
});
