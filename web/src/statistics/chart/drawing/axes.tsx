import type { Figure } from '../figures';
import { type Frame, HEIGHT } from './frame';
import type { Point } from '../points';
import { type Scale, tickedPoints } from './scales';

const TICK_PX = 92;

interface GridProps {
  frame: Frame;
  scale: Scale;
  figure: Figure;
}

export function Grid({ frame, scale, figure }: GridProps) {
  const y = frame.heightOf(scale);
  return (
    <g class="grid" aria-hidden="true">
      {rowsOf(scale).map((value) => (
        <g key={value}>
          <line x1={frame.left} x2={frame.right} y1={y(value)} y2={y(value)} />
          <text x={frame.left - 10} y={y(value)} dy="0.32em" text-anchor="end">
            {figure.writeStep(value)}
          </text>
        </g>
      ))}
    </g>
  );
}

/** The axis of the second metric, which has the same lines. */
export function SecondAxis({ frame, scale, figure }: GridProps) {
  const y = frame.heightOf(scale);
  return (
    <g class="second-axis" aria-hidden="true">
      {rowsOf(scale).map((value) => (
        <text key={value} x={frame.right + 10} y={y(value)} dy="0.32em">
          {figure.writeStep(value)}
        </text>
      ))}
    </g>
  );
}

const rowsOf = ({ step, rows }: Scale) => Array.from({ length: rows + 1 }, (_, row) => step * row);

export function Ticks({ points, frame }: { points: Point[]; frame: Frame }) {
  const last = points.length - 1;
  const anchorOf = (index: number) =>
    last === 0 ? 'middle' : index === 0 ? 'start' : index === last ? 'end' : 'middle';
  return (
    <g class="ticks" aria-hidden="true">
      {tickedPoints(last, Math.floor((frame.right - frame.left) / TICK_PX)).map((index) => (
        <text key={index} x={frame.x(index)} y={HEIGHT - 6} text-anchor={anchorOf(index)}>
          {points[index]!.tick}
        </text>
      ))}
    </g>
  );
}
