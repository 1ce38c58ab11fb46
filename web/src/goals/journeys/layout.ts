import type { JourneyAnswer, Link, Node } from './answer';

/** A part of the visits of a step, as a box. */
export interface Box {
  key: string;
  step: number;
  /** Undefined for the start, and for others and the end. */
  node: Node | undefined;
  kind: 'start' | 'node' | 'others' | 'ended';
  /** The number of values of others. */
  values: number;
  visits: number;
  x: number;
  y: number;
  height: number;
}

/** Visits from one box to another. */
export interface Ribbon {
  from: string;
  to: string;
  visits: number;
  isEnd: boolean;
  path: string;
}

export interface Layout {
  boxes: Box[];
  ribbons: Ribbon[];
  width: number;
  height: number;
  boxWidth: number;
}

const GAP = 5;
/** For a line of text. */
const LEAST_HEIGHT = 26;
/** What the boxes of a column share beyond their least heights. */
const SHARED_HEIGHT = 240;
const LEAST_COLUMN = 190;
const BETWEEN = 56;

/** Columns from left to right, or the other way round where journeys are read backwards. */
export function layoutOf({ data }: JourneyAnswer, available: number, isBackwards: boolean): Layout {
  const columns = columnsOf(data).filter((boxes) => boxes.length > 0);
  const width = Math.max(available, columns.length * LEAST_COLUMN - BETWEEN);
  const columnWidth = (width + BETWEEN) / Math.max(1, columns.length);
  const placed = columns.map((boxes, index) => {
    const column = isBackwards ? columns.length - 1 - index : index;
    return placedIn(boxes, column * columnWidth, data.visits);
  });
  const boxes = placed.flat();
  const boxWidth = columnWidth - BETWEEN;
  const bottoms = boxes.map(({ y, height }) => y + height);
  return {
    ...{ boxes, width, boxWidth, height: Math.max(0, ...bottoms) },
    ribbons: ribbonsOf(data.links, boxes, boxWidth, isBackwards),
  };
}

type Unplaced = Omit<Box, 'x' | 'y' | 'height'>;

const keyOf = (step: number, place: Link['from'] | Link['to']) => `${step}:${place}`;

function columnsOf({ visits, steps }: JourneyAnswer['data']): Unplaced[][] {
  const box = (step: number, place: Link['from'] | Link['to'], more: Partial<Unplaced>): Unplaced => ({
    ...{ key: keyOf(step, place), step, node: undefined, kind: 'node', values: 0, visits: 0 },
    ...more,
  });
  const columns = steps.map(({ step, nodes, others, ended }) =>
    [
      ...nodes.map((node, index) => box(step, index, { node, visits: node.visits })),
      box(step, 'others', { kind: 'others', ...others }),
      box(step, 'ended', { kind: 'ended', visits: ended }),
    ].filter((one) => one.visits > 0),
  );
  return [[box(0, 'start', { kind: 'start', visits })], ...columns];
}

function placedIn(boxes: Unplaced[], x: number, visits: number): Box[] {
  let y = 0;
  return boxes.map((box) => {
    const height = LEAST_HEIGHT + (SHARED_HEIGHT * box.visits) / Math.max(1, visits);
    const placed = { ...box, x, y, height };
    y += height + GAP;
    return placed;
  });
}

function ribbonsOf(
  links: readonly Link[],
  boxes: readonly Box[],
  boxWidth: number,
  isBackwards: boolean,
): Ribbon[] {
  const byKey = new Map(boxes.map((box) => [box.key, box]));
  /** How many visits of a box have a ribbon already, on either side. */
  const used = new Map<string, number>();
  const side = (box: Box, visits: number, which: string): [top: number, bottom: number] => {
    const before = used.get(which + box.key) ?? 0;
    used.set(which + box.key, before + visits);
    const heightOf = (some: number) => (box.height * Math.min(some, box.visits)) / box.visits;
    return [box.y + heightOf(before), box.y + heightOf(before + visits)];
  };
  const known = links.flatMap((link) => {
    const from = byKey.get(keyOf(link.step - 1, link.from));
    const to = byKey.get(keyOf(link.step, link.to));
    return from && to ? [{ link, from, to }] : [];
  });
  // In the order of the boxes, ribbons cross the least.
  known.sort(
    (one, other) => one.link.step - other.link.step || one.from.y - other.from.y || one.to.y - other.to.y,
  );
  return known.map(({ link: { visits }, from, to }) => {
    const [begin, end] = [side(from, visits, 'out '), side(to, visits, 'in ')];
    const isEnd = to.kind === 'ended';
    const xs = isBackwards ? [from.x, to.x + boxWidth] : [from.x + boxWidth, to.x];
    return { from: from.key, to: to.key, visits, isEnd, path: pathOf(xs as [number, number], begin, end) };
  });
}

type Pair = [number, number];

function pathOf([x, toX]: Pair, [top, bottom]: Pair, [toTop, toBottom]: Pair): string {
  const middle = (x + toX) / 2;
  const text = (...numbers: number[]) => numbers.map((number) => Math.round(10 * number) / 10).join(' ');
  return [
    `M${text(x, top)}C${text(middle, top, middle, toTop, toX, toTop)}`,
    `L${text(toX, toBottom)}C${text(middle, toBottom, middle, bottom, x, bottom)}Z`,
  ].join('');
}
