import { useEffect, useState } from 'preact/hooks';
import { type Scale, topOf } from './scales';

export const HEIGHT = 260;
const EDGE = { top: 12, right: 14, bottom: 28, left: 52 };
/** The right edge with the axis of a second metric. */
const SECOND_PX = 56;

/** Where things are drawn. */
export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  x: (index: number) => number;
  /** The nearest point to a place. */
  indexAt: (place: number) => number;
  /** The height of a value on a scale. */
  heightOf: (scale: Scale) => (value: number) => number;
}

export function frameOf(width: number, last: number, hasSecond: boolean): Frame {
  const [left, right] = [EDGE.left, width - (hasSecond ? SECOND_PX : EDGE.right)];
  const [top, bottom] = [EDGE.top, HEIGHT - EDGE.bottom];
  const inner = Math.max(1, right - left);
  return {
    ...{ left, right, top, bottom },
    x: (index) => left + (last === 0 ? inner / 2 : (inner * index) / last),
    indexAt: (place) => Math.min(last, Math.max(0, Math.round(((place - left) / inner) * last))),
    heightOf: (scale) => (value) => bottom - ((bottom - top) * value) / topOf(scale),
  };
}

export function useWidth(box: { current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}
