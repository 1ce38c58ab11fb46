import { textList } from '../../../engine/ground/lists/text-list';
import { OF_ALL_DAYS } from '../../../engine/questions/plan/metrics';
import { shownSeriesPage } from './series-for-viewers';

const DAYS = 20_000;
const texts = Array.from({ length: DAYS }, (_, index) => `day ${index}`);

/** A series that records the places of the texts that are read. */
function seriesOf(visitors: (index: number) => number) {
  const read: number[] = [];
  const list = textList(texts);
  const isSet = new Proxy(list.isSet, {
    get: (set, place) => {
      read.push(Number(place));
      return Reflect.get(set, place) as unknown;
    },
  });
  const counts = Float64Array.from(texts, (_, index) => visitors(index));
  const rows = { dimensions: [{ ...list, isSet }], metrics: [counts, counts, counts], previous: [] };
  const one = { hitQuery: { metrics: [...OF_ALL_DAYS] }, answer: { rows } };
  return { read, both: [one, one] as [typeof one, typeof one] };
}

const ASKED = { metrics: ['visitors' as const], dimensions: ['day' as const], page: 2, per_page: 2 };

it.each([
  { fill: true, direction: 'asc', places: [2, 3], total: DAYS },
  { fill: true, direction: 'desc', places: [DAYS - 3, DAYS - 4], total: DAYS },
  { fill: false, direction: 'asc', places: [200, 300], total: DAYS / 100 },
  { fill: false, direction: 'desc', places: [DAYS - 300, DAYS - 400], total: DAYS / 100 },
] as const)('words the rows of the page alone: $fill $direction', ({ fill, direction, places, total }) => {
  const { read, both } = seriesOf((index) => (index % 100 === 0 ? 12 : 0));
  const { rows, ...others } = shownSeriesPage({ ...ASKED, fill, order_by: [['day', direction]] }, both);
  expect(rows.map(({ day }) => day)).toEqual(places.map((place) => texts[place]));
  expect(others).toEqual({ total });
  expect(read).toEqual(places);
});
