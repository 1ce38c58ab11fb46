import { Sums } from '../storage/sums';
import { differencesOf } from './differences';

const NAME = 3;
const OTHER = 9;

function counts(ofIds: Record<number, number>) {
  const sums = new Sums();
  for (const [id, hits] of Object.entries(ofIds)) sums.add(Number(id), hits);
  return new Map([[NAME, sums]]);
}

const compare = (counted: Record<number, number>, archived: Record<number, number>, other?: number) =>
  differencesOf(counts(counted), counts(archived), new Map(other === undefined ? [] : [[NAME, other]]));

it('finds what was counted too often, too seldom, or not at all', () => {
  expect(compare({ 1: 2, 2: 5, 70: 1 }, { 1: 2, 2: 4, 300: 1 })).toEqual([
    { name: NAME, id: 2, counted: 5, archived: 4 },
    { name: NAME, id: 70, counted: 1, archived: 0 },
    { name: NAME, id: 300, counted: 0, archived: 1 },
  ]);
  expect(compare({ 1: 2 }, { 1: 2 })).toEqual([]);
  expect(differencesOf(new Map(), counts({ 1: 1 }), new Map())).toHaveLength(1);
  expect(differencesOf(counts({ 1: 1 }), new Map(), new Map())).toHaveLength(1);
});

it('takes (other) for values that were too many, and for nothing else', () => {
  expect(compare({ 1: 2, [OTHER]: 3 }, { 1: 3, 2: 2 }, OTHER)).toEqual([]);
  expect(compare({ 1: 2, [OTHER]: 3 }, { 1: 3, 2: 1 }, OTHER)).toEqual([
    { name: NAME, id: OTHER, counted: 3, archived: 2 },
  ]);
  expect(compare({ 1: 2, [OTHER]: 1 }, { 1: 3, 2: 1 }, OTHER)).toEqual([
    { name: NAME, id: 1, counted: 2, archived: 3 },
  ]);
});
