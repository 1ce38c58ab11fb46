import type { Figure } from './figures';

const ARROWS = { up: '↑', down: '↓', same: '→' };

interface Props {
  figure: Figure;
  value: number;
  before: number | undefined;
}

/** Undefined if both values read the same. */
export function shownChange({ figure, value, before }: Props) {
  if (before === undefined || figure.writeShort(value) === figure.writeShort(before)) return undefined;
  return figure.changeFrom(value, before);
}

export function Change({ figure, value, before }: Props) {
  const change = shownChange({ figure, value, before });
  if (!change) return null;
  const isBetter = (change.direction === 'down') === figure.isBetterLow;
  const tone = change.direction === 'same' ? 'same' : isBetter ? 'better' : 'worse';
  return (
    <b class={`change-text ${tone}`}>
      <span aria-hidden="true">{ARROWS[change.direction]} </span>
      {change.text}
    </b>
  );
}
