import type { Figure } from '../figures';

type Axis = Pick<Figure, 'precision' | 'isTime'>;

/** The fewest and the most steps of an axis. */
const ROWS = { least: 3, most: 5 };
const NICE = [1, 2, 2.5, 5, 10];
const NICE_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1800, 3600, 7200];

/** The steps of an axis from 0 to `rows * step`. */
export interface Scale {
  step: number;
  rows: number;
}

/** The smallest scale with readable steps that reaches the largest value. */
export function scaleFor(largest: number, axis: Axis): Scale {
  const scales = Array.from({ length: ROWS.most - ROWS.least + 1 }, (_, more) =>
    scaleWith(ROWS.least + more, largest, axis),
  );
  return scales.reduce((best, scale) => (topOf(scale) < topOf(best) ? scale : best));
}

/** The smallest scale with as many steps. */
export function scaleWith(rows: number, largest: number, axis: Axis): Scale {
  return { step: stepFor(largest / rows, axis), rows };
}

export const topOf = ({ step, rows }: Scale) => step * rows;

function stepFor(least: number, { precision, isTime }: Axis): number {
  const known = isTime ? NICE_SECONDS.find((step) => step >= least) : undefined;
  if (known !== undefined) return known;
  const wanted = Math.max(precision, least);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const steps = NICE.map((factor) => factor * power);
  return steps.find((step) => step >= wanted && isMultiple(step, precision)) ?? 10 * power;
}

function isMultiple(step: number, precision: number): boolean {
  const times = step / precision;
  return Math.abs(times - Math.round(times)) < 1e-9;
}

/** The points that an axis names: both ends, and evenly those between that leave room. */
export function tickedPoints(last: number, places: number): number[] {
  if (last === 0) return [0];
  const every = Math.max(1, Math.ceil(last / Math.max(1, places - 1)));
  const ticked = Array.from({ length: Math.ceil(last / every) }, (_, index) => index * every);
  const isNear = last - ticked.at(-1)! < 0.75 * every && ticked.length > 1;
  return [...(isNear ? ticked.slice(0, -1) : ticked), last];
}
