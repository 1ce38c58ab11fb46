import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const FILE = new URL('regions.json', import.meta.url);
const MODULE = 'virtual:regions';

/** Writes the regions of each country as one file, and tells the scripts their names. */
export function regions() {
  const text = readFileSync(FILE, 'utf8');
  const countries = Object.entries(JSON.parse(text));
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return {
    name: 'regions',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) =>
      id === `\0${MODULE}`
        ? `export const regions = ${JSON.stringify({ hash, codes: countries.map(([code]) => code).join(' ') })};`
        : undefined,
    buildStart() {
      for (const [code, own] of countries)
        this.emitFile({
          type: 'asset',
          fileName: `assets/regions-${code}-${hash}.json`,
          source: JSON.stringify(own.map((region) => ({ ...region, middle: middleOf(region.path) }))),
        });
    },
  };
}

/** The middle of the largest part of a path like `M12,3l4 5-3 2z`. */
function middleOf(path) {
  const [largest] = path
    .split('M')
    .slice(1)
    .map(boxOf)
    .sort((one, other) => other.width * other.height - one.width * one.height);
  return [largest.left + largest.width / 2, largest.top + largest.height / 2].map(Math.round);
}

function boxOf(part) {
  const [x, y, ...steps] = part.match(/-?\d+/g).map(Number);
  const points = [[x, y]];
  for (let at = 0; at < steps.length; at += 2) {
    const [lastX, lastY] = points.at(-1);
    points.push([lastX + steps[at], lastY + steps[at + 1]]);
  }
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}
