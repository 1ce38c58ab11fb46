import { OTHER_ITEM, START } from './items';
import { StepLinks } from './step-links';

function linksOf(links: StepLinks): number[][] {
  const all: number[][] = [];
  links.forEach((...link) => all.push(link));
  return all.sort((one, other) => one[0]! - other[0]! || one[1]! - other[1]!);
}

it('counts the visits of each link', () => {
  const links = new StepLinks();
  expect([links.add(2, 4), links.add(2, 4), links.add(4, 2)]).toEqual([4, 4, 2]);
  expect(linksOf(links)).toEqual([
    [2, 4, 2],
    [4, 2, 1],
  ]);
});

it('counts new links together once it is closed, each from its own item', () => {
  const links = new StepLinks();
  links.add(2, 4);
  links.isClosed = true;
  links.add(2, 4);
  expect(links.isMerged).toBe(false);
  expect([links.add(2, 6), links.add(2, 8), links.add(8, 6)]).toEqual(Array(3).fill(OTHER_ITEM));
  expect(links.isMerged).toBe(true);
  expect(linksOf(links)).toEqual([
    [2, OTHER_ITEM, 2],
    [2, 4, 2],
    [8, OTHER_ITEM, 1],
  ]);
});

it('takes a few bytes for each item that links lead from, once it is closed', () => {
  const links = new StepLinks();
  links.isClosed = true;
  const before = links.bytes;
  const items = 100_000;
  for (let from = 2; from < items; from++) links.add(from, 2);
  expect(links.bytes - before).toBeLessThan(6 * items);
  expect(linksOf(links)).toHaveLength(items - 2);
});

it('does the same from the start', () => {
  const links = new StepLinks();
  for (const to of [4, 4, 7]) links.add(START, to);
  links.isClosed = true;
  expect([links.add(START, 4), links.add(START, 6), links.isMerged]).toEqual([4, OTHER_ITEM, true]);
  expect(linksOf(links)).toEqual([
    [START, OTHER_ITEM, 1],
    [START, 4, 3],
    [START, 7, 1],
  ]);
});

it('counts any number of links', () => {
  const links = new StepLinks();
  const expected = new Map<string, number[]>();
  for (let visit = 0; visit < 20_000; visit++) {
    const [from, to] = [2 * (1 + (visit % 37)), 2 * ((visit * visit) % 1013) + 1];
    links.add(from, to);
    const link = expected.get(`${from} ${to}`) ?? [from, to, 0];
    expected.set(`${from} ${to}`, [from, to, link[2]! + 1]);
  }
  expect(new Set(linksOf(links).map(String))).toEqual(new Set([...expected.values()].map(String)));
});
