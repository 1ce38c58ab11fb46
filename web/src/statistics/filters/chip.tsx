import type { Filter, Operator } from './filters';
import { Icon } from '../icons/icon';
import type { Name } from '../../shared/names';
import { texts } from '../../shared/texts';
import { singularOf, wordsOf } from '../../shared/language/value-labels';

interface Props {
  filter: Filter;
  /** Undefined if the reader may only remove it. */
  onChange: (() => void) | undefined;
  onRemoved: () => void;
}

const words = texts.filters;
/** Of more values, the number of the others is shown. */
const SHOWN = 3;

/** Whole values are shown in words; parts of values are as they were typed. */
export const isWhole = (operator: Operator) => operator === 'is' || operator === 'is_not';

const textOf = ({ name, operator }: Filter, value: string) =>
  isWhole(operator) ? wordsOf(name, value) : value;

/** A filter as a sentence, which opens its form, and a button that removes it. */
export function Chip({ filter, onChange, onRemoved }: Props) {
  const whole = wholeText(filter);
  return (
    <div class={`chip ${filter.operator.endsWith('_not') ? 'negated' : ''}`}>
      {onChange ? (
        <button class="chip-text" onClick={onChange} title={whole} aria-haspopup="dialog">
          <Text {...{ filter }} />
        </button>
      ) : (
        <span class="chip-text" title={whole}>
          <Text {...{ filter }} />
        </span>
      )}
      <button class="chip-act" onClick={onRemoved} title={words.remove} aria-label={words.removeOne(whole)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="m4.5 4.5 7 7m0-7-7 7" />
        </svg>
      </button>
    </div>
  );
}

function wholeText(filter: Filter): string {
  const { name, operator, values } = filter;
  if (name === 'saved') return words.saved(wordsOf(name, values[0]!));
  const all = words.anyOf(values.map((value) => textOf(filter, value)));
  return [singularOf(name), words.operators[operator], all].join(' ');
}

function Text({ filter }: { filter: Filter }) {
  const { name, operator } = filter;
  if (name === 'saved') return <bdi>{wholeText(filter)}</bdi>;
  return (
    <>
      <bdi>{singularOf(name)}</bdi> <span class="quiet">{words.operators[operator]}</span>{' '}
      <Values {...{ filter }} />
    </>
  );
}

function Values({ filter }: { filter: Filter }) {
  const { name, operator, values } = filter;
  const shown = values.length > SHOWN ? values.slice(0, SHOWN - 1) : values;
  const others = values.length - shown.length;
  const joint = (index: number) => (index === 0 ? '' : index === values.length - 1 ? ` ${words.or} ` : ', ');
  return (
    <>
      {shown.map((value, index) => (
        <span key={value}>
          <span class="quiet">{joint(index)}</span>
          <Picked {...{ name, operator, value }} />
        </span>
      ))}
      {others > 0 && <span class="quiet"> {words.others(others)}</span>}
    </>
  );
}

interface PickedProps {
  name: Name;
  operator: Operator;
  value: string;
}

/** A value of a filter, with its icon if it is a whole value. */
export function Picked({ name, operator, value }: PickedProps) {
  if (!isWhole(operator)) return <bdi class="picked-value">{value}</bdi>;
  return (
    <>
      <Icon name={name} value={value} />
      <bdi class="picked-value">{wordsOf(name, value)}</bdi>
    </>
  );
}
