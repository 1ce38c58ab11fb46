import { toneOf } from '../range-to-compare';
import type { Figure } from './figures';
import { Sign } from '../../shared/sign';

interface Props {
  figure: Figure;
  value: number;
  before: number | undefined;
  /** Tells whether the compared days are the same weekdays. */
  isComparable: boolean;
}

/** Undefined if both values read the same. */
export function shownChange({ figure, value, before }: Omit<Props, 'isComparable'>) {
  if (before === undefined || figure.writeShort(value) === figure.writeShort(before)) return undefined;
  return figure.changeFrom(value, before);
}

export function Change({ figure, value, before, isComparable }: Props) {
  const change = shownChange({ figure, value, before });
  if (!change) return null;
  return (
    <b class={`change-text ${toneOf(change, isComparable, figure.isBetterLow)}`}>
      <Sign name={change.direction} /> {change.text}
    </b>
  );
}
