import { VisitorNumbers } from '../encoding/visitor-numbers';
import { CountedDay } from '../rollups/counted-day';
import { HashLookup } from './hash-lookup';

/** Hashes share second halves, and many halves have the same first bits. */
const hashOf = (index: number) => ({ high: index % 7, low: Math.imul(Math.floor(index / 3), 0x9e3779b1) });

function stored(indexes: number[]): Uint32Array {
  const hashes = indexes
    .map(hashOf)
    .sort((one, other) => (one.low >>> 0) - (other.low >>> 0) || one.high - other.high);
  return Uint32Array.from(hashes.flatMap(({ high, low }) => [high, low]));
}

it.each([
  ['few', 30],
  ['many', 3000],
])('meets %s hashes that are stored, and no others', (_, wanted) => {
  const indexes = Array.from({ length: 4000 }, (_, index) => index);
  const hashes = new VisitorNumbers();
  for (const index of indexes.slice(0, wanted)) hashes.add(hashOf(index).high, hashOf(index).low);
  const met: string[] = [];
  const counted = new CountedDay(10);
  jest.spyOn(counted, 'meet').mockImplementation((high, low) => void met.push(`${high} ${low}`));
  new HashLookup(hashes).meetStored(stored(indexes.filter((index) => index % 2 === 0)), counted);
  const expected = indexes.slice(0, wanted).filter((index) => index % 2 === 0);
  expect(met.sort()).toEqual(expected.map((index) => `${hashOf(index).high} ${hashOf(index).low}`).sort());
});
