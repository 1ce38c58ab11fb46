import type { Pointed } from './map-tip';

export type OnMap = PointerEvent & { currentTarget: SVGSVGElement };

export const codeOf = (target: EventTarget | null) => (target as SVGElement).dataset.code || undefined;

/** The place under the pointer. */
export function pointedAt(event: OnMap): Pointed | undefined {
  const code = codeOf(event.target);
  if (!code || event.pointerType === 'touch') return undefined;
  const { left, top, width } = event.currentTarget.getBoundingClientRect();
  return { code, x: event.clientX - left, y: event.clientY - top, width };
}

/** A place by its code and its middle on a drawing of some width. */
export function pointedIn(
  drawing: SVGSVGElement,
  code: string,
  [x, y]: readonly [x: number, y: number],
  whole: number,
): Pointed {
  const { width } = drawing.getBoundingClientRect();
  const scale = width / whole;
  return { code, x: x * scale, y: y * scale, width };
}
