import { OTHER_ITEM } from './items';
import { StepLinks } from './step-links';

function linksOf(links: StepLinks): number[][] {
  const all: number[][] = [];
  links.forEach((...link) => all.push(link));
  return all;
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
    [2, 4, 2],
    [2, OTHER_ITEM, 2],
    [8, OTHER_ITEM, 1],
  ]);
});
