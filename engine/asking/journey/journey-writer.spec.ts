import { WebsiteTexts } from '../../hits/codes/text-codes';
import { Zone } from '../../questions/plan/buckets';
import { WebsiteValues } from '../select/website-values';
import { Selections } from '../select/selections';
import { FilterMemory } from '../memory/filter-memory';
import { WalkMemory } from '../walk/walk-memory';
import { itemOf, START } from './items';
import type { JourneyLink } from '../../questions/journey-request';
import { JourneyWriter } from './journey-writer';
import { StepLinks } from './step-links';

const values = new WebsiteValues(new WebsiteTexts(Infinity));
const check = () => undefined;
const zone = new Zone('UTC');
const tools = {
  ...{ values, zone, check, memory: new WalkMemory() },
  selections: new Selections([], zone, new FilterMemory(), check),
};

function page(value: string): number {
  values.of('page').codeOf(value);
  return itemOf({ kind: 'page', value }, values)!;
}

/** Counts paths as a walk does. */
function countsOf(paths: string[][], steps: number, closedAfter = Infinity) {
  const links = Array.from({ length: steps }, () => new StepLinks());
  for (const [index, path] of paths.entries()) {
    for (const one of links) one.isClosed = index >= closedAfter;
    let from = START;
    for (const [step, value] of path.slice(0, steps).entries()) from = links[step]!.add(from, page(value));
  }
  return new JourneyWriter(paths.length, links, tools).counts();
}

const sumOf = (links: readonly JourneyLink[]) => links.reduce((sum, { visits }) => sum + visits, 0);

it('shows the ten most frequent values, ties by value, and takes the others together', () => {
  const paths = Array.from({ length: 12 }, (_, index) => [`/${String.fromCharCode(108 - index)}`]);
  const { steps, links } = countsOf([...paths, ['/l'], ['/l']], 1);
  expect(steps[0]!.nodes.map(({ value, visits }) => [value, visits])).toEqual([
    ['/l', 3],
    ...Array.from('abcdefghi', (letter) => [`/${letter}`, 1]),
  ]);
  expect(steps[0]).toMatchObject({ others: { values: 2, visits: 2 }, ended: 0 });
  expect(links.at(-1)).toEqual({ step: 1, from: 'start', to: 'others', visits: 2 });
});

it('counts the visits that end before a step', () => {
  const { steps, links } = countsOf([['/a'], ['/a', '/b'], []], 2);
  expect(steps.map(({ ended }) => ended)).toEqual([1, 1]);
  expect(links).toEqual([
    { step: 1, from: 'start', to: 0, visits: 2 },
    { step: 1, from: 'start', to: 'ended', visits: 1 },
    { step: 2, from: 0, to: 0, visits: 1 },
    { step: 2, from: 0, to: 'ended', visits: 1 },
  ]);
});

it('loses no visit where further links are counted together', () => {
  const letters = Array.from('abcdefghijklmnop', (letter) => `/${letter}`);
  const paths = letters.map((_, index) => [0, 5, 3].map((more) => letters[(3 * index + more) % 16]!));
  const { visits, steps, links } = countsOf(paths, 4, 6);
  for (const [index, { nodes, others, ended }] of steps.entries()) {
    const into = links.filter(({ step }) => step === index + 1);
    const onwards = links.filter(({ step }) => step === index + 2);
    const ending = into.filter(({ to }) => to === 'ended');
    const shown = nodes.reduce((sum, node) => sum + node.visits, 0) + others.visits;
    expect([sumOf(into), sumOf(ending)]).toEqual([shown + ended, ended]);
    if (index + 1 < steps.length)
      for (const [place, node] of nodes.entries())
        expect(sumOf(onwards.filter(({ from }) => from === place))).toBe(node.visits);
  }
  expect([visits, sumOf(links.filter(({ step }) => step === 1))]).toEqual([16, 16]);
  expect(steps[0]!.others.visits).toBeGreaterThanOrEqual(10);
});
