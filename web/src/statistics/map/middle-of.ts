interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The middle of the largest part of a country's path: some have islands at the other end of the map. */
export function middleOf(path: string): [x: number, y: number] {
  const [first, ...others] = path.split('M').slice(1).map(boxOf);
  const largest = others.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one), first!);
  return [largest.left + largest.width / 2, largest.top + largest.height / 2];
}

const sizeOf = ({ width, height }: Box) => width * height;

/** Of points as `x,yLx,yLx,yZ`. */
function boxOf(points: string): Box {
  const numbers = points.match(/-?\d+(?:\.\d+)?/g)!.map(Number);
  const [xs, ys] = [0, 1].map((axis) => numbers.filter((_, index) => index % 2 === axis)) as [
    number[],
    number[],
  ];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}
