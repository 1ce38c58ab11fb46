import type { Figure } from './figures';

const ARROWS = { up: '↑', down: '↓', same: '→' };

interface Props {
  figure: Figure;
  value: number;
  before: number | undefined;
}

/** The change of a figure, unless both values read the same. */
export function Change({ figure, value, before }: Props) {
  const change = figure.changeFrom(value, before);
  if (!change || before === undefined || figure.writeShort(value) === figure.writeShort(before)) return null;
  const isBetter = (change.direction === 'down') === figure.isBetterLow;
  const tone = change.direction === 'same' ? 'same' : isBetter ? 'better' : 'worse';
  return (
    <b class={`change-text ${tone}`}>
      <span aria-hidden="true">{ARROWS[change.direction]} </span>
      {change.text}
    </b>
  );
}
