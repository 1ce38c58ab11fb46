import type { JourneyAnswer, JourneyStep, Link, Node } from './answer';

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
  /** To the scale of the drawing. */
  height: number;
  /** Tells whether its text is below it, since the box is too low for it. */
  isLow: boolean;
}

/** What is above the boxes of a step. */
export interface Column {
  step: number;
  x: number;
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
  columns: Column[];
  boxes: Box[];
  ribbons: Ribbon[];
  width: number;
  height: number;
  boxWidth: number;
}

const GAP = 12;
/** A line of text. */
export const LINE_HEIGHT = 20;
/** Above the text within a box. */
const TEXT_EDGE = 4;
/** All visits together. */
const WHOLE_HEIGHT = 300;
const LEAST_COLUMN = 214;
const BETWEEN = 56;

/** The pages and events of a step that are drawn until more are wanted. */
const FIRST_NODES = 5;

/** The answer with fewer nodes in each step: those with the fewest visits are counted with the others. */
export function shortened({ data, meta }: JourneyAnswer): JourneyAnswer {
  const isFolded = data.steps.map(({ nodes, others }) => nodes.slice(FIRST_NODES).length + others.values > 1);
  const place = <T extends Link['from'] | Link['to']>(step: number, node: T) =>
    typeof node === 'number' && node >= FIRST_NODES && isFolded[step - 1] ? 'others' : node;
  const links = new Map<string, Link>();
  for (const { step, visits, ...link } of data.links) {
    const [from, to] = [place(step - 1, link.from), place(step, link.to)];
    const key = `${step} ${from} ${to}`;
    links.set(key, { step, from, to, visits: visits + (links.get(key)?.visits ?? 0) });
  }
  const steps = data.steps.map((step, index) => (isFolded[index] ? foldedStep(step) : step));
  return { meta, data: { ...data, steps, links: [...links.values()] } };
}

function foldedStep({ nodes, others, ...step }: JourneyStep): JourneyStep {
  const folded = nodes.slice(FIRST_NODES);
  return {
    ...step,
    nodes: nodes.slice(0, FIRST_NODES),
    others: {
      values: others.values + folded.length,
      visits: folded.reduce((sum, { visits }) => sum + visits, others.visits),
    },
  };
}

interface Drawn {
  /** The width that there is. */
  available: number;
  isBackwards: boolean;
  /** Tells whether what journeys begin with is a box of its own. */
  hasStart: boolean;
}

/** Columns from left to right, or the other way round where journeys are read backwards. */
export function layoutOf({ data }: JourneyAnswer, { available, isBackwards, hasStart }: Drawn): Layout {
  const steps = columnsOf(data).filter((boxes, step) => boxes.length > 0 && (hasStart || step > 0));
  const width = Math.max(available, steps.length * LEAST_COLUMN - BETWEEN);
  const columnWidth = (width + BETWEEN) / Math.max(1, steps.length);
  const columns = steps.map(([first], index) => ({
    step: first!.step,
    x: (isBackwards ? steps.length - 1 - index : index) * columnWidth,
  }));
  const boxes = steps.flatMap((step, index) => placedIn(step, columns[index]!.x, data.visits));
  const boxWidth = columnWidth - BETWEEN;
  return {
    ...{ columns, boxes, width, boxWidth, height: Math.max(0, ...boxes.map(bottomOf)) },
    ribbons: ribbonsOf(data.links, boxes, boxWidth, isBackwards),
  };
}

/** The lines of a box's text: others also say how many values they are. */
const textHeightOf = (kind: Box['kind']) => (kind === 'others' ? 2 : 1) * LINE_HEIGHT + TEXT_EDGE;

const bottomOf = ({ y, height, isLow, kind }: Box) => y + height + (isLow ? textHeightOf(kind) : 0);

type Unplaced = Omit<Box, 'x' | 'y' | 'height' | 'isLow'>;

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
    const height = (WHOLE_HEIGHT * box.visits) / Math.max(1, visits);
    const placed = { ...box, x, y, height, isLow: height < textHeightOf(box.kind) };
    y = bottomOf(placed) + GAP;
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
