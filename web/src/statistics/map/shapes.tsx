import { world } from 'virtual:world';
import type { Ref } from 'preact';
import { middleOf } from './middle-of';
import { codeOf, type OnMap } from './pointed';
import { texts } from '../../shared/texts';

interface Props {
  drawing: Ref<SVGSVGElement>;
  isClickable: (code: string) => boolean;
  counts: ReadonlyMap<string, number>;
  styleOf: (code: string) => string;
  onPicked: (code: string | undefined) => void;
  onPointed: (event: OnMap) => void;
}

const DOT = 4;

/** All countries, and the smallest ones with visitors as dots. */
export function Shapes({ drawing, isClickable, counts, styleOf, onPicked, onPointed }: Props) {
  const classOf = (code: string) => `${styleOf(code)} ${isClickable(code) ? 'clickable' : ''}`;
  return (
    <svg
      ref={drawing}
      viewBox={`0 0 ${world.width} ${world.height}`}
      role="img"
      aria-label={texts.map.label}
      onClick={({ target }) => onPicked(codeOf(target))}
      onPointerMove={onPointed}
    >
      {world.areas.map(([code, path]) => (
        <path key={code + path.slice(0, 12)} data-code={code} class={classOf(code)} d={path} />
      ))}
      {world.dots.map(
        ([code, x, y]) =>
          counts.has(code) && (
            <circle key={code} data-code={code} class={classOf(code)} cx={x} cy={y} r={DOT} />
          ),
      )}
    </svg>
  );
}

export const MIDDLES = new Map<string, readonly [x: number, y: number]>([
  ...world.areas.map(([code, path]) => [code, middleOf(path)] as const),
  ...world.dots.map(([code, x, y]) => [code, [x, y]] as const),
]);

/** The countries that are drawn; some areas have no code. */
export const REACHABLE = [...MIDDLES.keys()].filter((code) => code !== '');
