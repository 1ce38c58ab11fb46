import type { JourneyAnswer } from './answer';
import { journeyChange, journeyIn, journeyQuery } from './answer';
import { type Box, layoutOf, shortened } from './layout';
import type { View } from '../view';

const answer: JourneyAnswer = {
  meta: {},
  data: {
    visits: 10,
    steps: [
      {
        step: 1,
        nodes: [
          { kind: 'page', value: '/a', visits: 6 },
          { kind: 'event', value: 'signup', visits: 1 },
        ],
        others: { values: 2, visits: 1 },
        ended: 2,
      },
      {
        step: 2,
        nodes: [{ kind: 'page', value: '/b', visits: 4 }],
        others: { values: 0, visits: 0 },
        ended: 4,
      },
    ],
    links: [
      { step: 1, from: 'start', to: 0, visits: 6 },
      { step: 1, from: 'start', to: 1, visits: 1 },
      { step: 1, from: 'start', to: 'others', visits: 1 },
      { step: 1, from: 'start', to: 'ended', visits: 2 },
      { step: 2, from: 'others', to: 0, visits: 1 },
      { step: 2, from: 0, to: 0, visits: 3 },
      { step: 2, from: 0, to: 'ended', visits: 3 },
      { step: 2, from: 1, to: 'ended', visits: 1 },
      { step: 2, from: 9, to: 0, visits: 1 },
    ],
  },
};

const WIDE = { available: 1000, isBackwards: false, hasStart: true };

it('has a column for each step, without what has no visits', () => {
  const { boxes } = layoutOf(answer, WIDE);
  expect(boxes.map(({ key }) => key)).toEqual([
    ...['0:start', '1:0', '1:1', '1:others', '1:ended'],
    ...['2:0', '2:ended'],
  ]);
  const columns = [...new Set(boxes.map(({ x }) => x))];
  expect(columns).toHaveLength(3);
  expect(columns).toEqual([...columns].sort((one, other) => one - other));
});

it('leaves no box out of the width, and lets none overlap', () => {
  for (const isBackwards of [false, true]) {
    const { boxes, boxWidth, width, height } = layoutOf(answer, { ...WIDE, available: 300, isBackwards });
    for (const one of boxes) {
      expect(one.x).toBeGreaterThanOrEqual(0);
      expect(one.x + boxWidth).toBeLessThanOrEqual(width + 0.01);
      expect(one.y + one.height).toBeLessThanOrEqual(height);
      const below = boxes.filter(({ x, y }) => x === one.x && y > one.y);
      for (const other of below) expect(other.y).toBeGreaterThan(one.y + one.height);
    }
  }
});

it('is to scale: what follows a box is as high as the box', () => {
  const { boxes } = layoutOf(answer, WIDE);
  const [{ height: whole }] = boxes as [Box, ...Box[]];
  for (const { height, visits } of boxes) expect(height).toBeCloseTo((whole * visits) / 10);
  expect(boxes.filter(({ isLow }) => isLow).map(({ key }) => key)).toEqual(['1:others']);
});

it('has no box for the entry, but the entries', () => {
  const { columns, boxes, ribbons } = layoutOf(answer, { ...WIDE, hasStart: false });
  expect(columns.map(({ step }) => step)).toEqual([1, 2]);
  expect(boxes[0]!.key).toBe('1:0');
  expect(ribbons.filter(({ from }) => from === '0:start')).toEqual([]);
});

it('has the most frequent nodes at first, and the rest with the others', () => {
  const node = (visits: number) => ({ kind: 'page' as const, value: `/${visits}`, visits });
  const long: JourneyAnswer = {
    meta: {},
    data: {
      visits: 39,
      steps: [
        { step: 1, nodes: [9, 8, 7, 6, 5, 2, 1].map(node), others: { values: 4, visits: 1 }, ended: 0 },
        { step: 2, nodes: [9, 8, 7, 6, 5, 4].map(node), others: { values: 0, visits: 0 }, ended: 0 },
      ],
      links: [
        { step: 1, from: 'start', to: 4, visits: 5 },
        { step: 1, from: 'start', to: 5, visits: 2 },
        { step: 1, from: 'start', to: 6, visits: 1 },
        { step: 1, from: 'start', to: 'others', visits: 1 },
        { step: 2, from: 5, to: 5, visits: 2 },
        { step: 2, from: 'others', to: 5, visits: 1 },
      ],
    },
  };
  const { steps, links } = shortened(long).data;
  expect(steps[0]).toMatchObject({ nodes: { length: 5 }, others: { values: 6, visits: 4 } });
  // One that is left would only be hidden behind a word.
  expect(steps[1]).toEqual(long.data.steps[1]);
  expect(links).toEqual([
    { step: 1, from: 'start', to: 4, visits: 5 },
    { step: 1, from: 'start', to: 'others', visits: 4 },
    { step: 2, from: 'others', to: 5, visits: 3 },
  ]);
});

it('is the other way round where it is read backwards', () => {
  const [start, first] = layoutOf(answer, { ...WIDE, isBackwards: true }).boxes;
  expect(start!.x).toBeGreaterThan(first!.x);
});

it('draws the links between known boxes', () => {
  const { ribbons } = layoutOf(answer, WIDE);
  expect(ribbons.map(({ from, to, visits }) => [from, to, visits])).toEqual([
    ['0:start', '1:0', 6],
    ['0:start', '1:1', 1],
    ['0:start', '1:others', 1],
    ['0:start', '1:ended', 2],
    ['1:0', '2:0', 3],
    ['1:0', '2:ended', 3],
    ['1:1', '2:ended', 1],
    ['1:others', '2:0', 1],
  ]);
  expect(ribbons.map(({ path }) => path).join()).not.toMatch(/NaN|Infinity/);
});

it('of nothing is one box', () =>
  expect(layoutOf({ data: { visits: 0, steps: [], links: [] }, meta: {} }, WIDE).boxes).toHaveLength(1));

const read = (query: string) => journeyIn(new URLSearchParams(query));

it.each([
  '',
  'journey=page%3A%2Fa%3Ab&steps=5',
  'journey=event%3Asignup&direction=backwards',
  'journey=page',
])('is in the address: %s', (query) => {
  const changes = Object.entries(journeyChange(read(query))).filter(([, value]) => value !== undefined);
  expect(new URLSearchParams(changes as [string, string][]).toString()).toBe(query);
});

it.each(['journey=nothing', 'journey=goal:x', 'direction=backwards', 'steps=6', 'journey=page:'])(
  'ignores what it does not know: %s',
  (query) => expect(read(query)).toMatchObject({ direction: 'forwards', steps: '3', value: '' }),
);

it('is asked for once there is something to begin with', () => {
  const view = {
    ...{ span: { from: '2026-03-01', to: '2026-03-02' }, filters: [] },
    reading: { places: { stats: 'stats/1', headers: {} } },
  } as unknown as View;
  expect(journeyQuery(view, read('journey=page'))).toBeUndefined();
  expect(journeyQuery(view, read('journey=page:/a&direction=backwards&steps=2'))!.body).toEqual({
    ...{ from: { page: '/a' }, direction: 'backwards', steps: 2 },
    ...{ range: ['2026-03-01', '2026-03-02'], filters: [] },
  });
  expect(journeyQuery(view, read(''))!.body).toMatchObject({
    from: 'entry',
    direction: 'forwards',
    steps: 3,
  });
});
