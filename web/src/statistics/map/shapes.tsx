import { world } from 'virtual:world';
import type { Ref } from 'preact';
import type { Pointed } from './map-tip';
import { middleOf } from './middle-of';
import { texts } from '../../shared/texts';

interface Props {
  drawing: Ref<SVGSVGElement>;
  isClickable: boolean;
  counts: ReadonlyMap<string, number>;
  styleOf: (code: string) => string;
  onPicked: (code: string | undefined) => void;
  onPointed: (event: PointerEvent & { currentTarget: SVGSVGElement }) => void;
}

const DOT = 4;

/** All countries, and the smallest ones with visitors as dots. */
export function Shapes({ drawing, isClickable, counts, styleOf, onPicked, onPointed }: Props) {
  return (
    <svg
      ref={drawing}
      viewBox={`0 0 ${world.width} ${world.height}`}
      role="img"
      aria-label={texts.map.label}
      class={isClickable ? 'clickable' : ''}
      onClick={({ target }) => onPicked(codeOf(target))}
      onPointerMove={onPointed}
    >
      {world.areas.map(([code, path]) => (
        <path key={code + path.slice(0, 12)} data-code={code} class={styleOf(code)} d={path} />
      ))}
      {world.dots.map(
        ([code, x, y]) =>
          counts.has(code) && (
            <circle key={code} data-code={code} class={styleOf(code)} cx={x} cy={y} r={DOT} />
          ),
      )}
    </svg>
  );
}

const codeOf = (target: EventTarget | null) => (target as SVGElement).dataset.code || undefined;

/** The country under the pointer. */
export function pointedAt(event: PointerEvent & { currentTarget: SVGSVGElement }): Pointed | undefined {
  const code = codeOf(event.target);
  if (!code || event.pointerType === 'touch') return undefined;
  const { left, top, width } = event.currentTarget.getBoundingClientRect();
  return { code, x: event.clientX - left, y: event.clientY - top, width };
}

const MIDDLES = new Map<string, readonly [x: number, y: number]>([
  ...world.areas.map(([code, path]) => [code, middleOf(path)] as const),
  ...world.dots.map(([code, x, y]) => [code, [x, y]] as const),
]);

/** The countries that are drawn; some areas have no code. */
export const REACHABLE = [...MIDDLES.keys()].filter((code) => code !== '');

/** A country by its code. */
export function pointedIn(drawing: SVGSVGElement, code: string): Pointed {
  const { width } = drawing.getBoundingClientRect();
  const [x, y] = MIDDLES.get(code)!;
  const scale = width / world.width;
  return { code, x: x * scale, y: y * scale, width };
}
