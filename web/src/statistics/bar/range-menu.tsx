import { useState } from 'preact/hooks';
import { go, linkTo } from '../../shared/address';
import { Calendar } from './calendar';
import { spanText } from '../../shared/format';
import { Menu } from './menu';
import { rangeText, spanChange, stepChange } from './periods';
import { type Bounds, rangeChange, type RangeName, type Span } from '../../shared/ranges';
import { RANGE_KEYS } from '../shortcuts';
import { texts } from '../../shared/texts';

interface Props {
  range: RangeName;
  span: Span | undefined;
  bounds: Bounds;
}

/** The range of days: named ones, a calendar, and the periods before and after. */
export function RangeMenu({ range, span, bounds }: Props) {
  return (
    <nav class="ranges" aria-label={texts.ranges.label}>
      <Step {...{ range, span, bounds }} step={-1} />
      <Menu
        kind="range-menu"
        shortcut="C"
        text={<span class="range-text">{rangeText(range, bounds, span)}</span>}
        title={span && spanText(span.from, span.to)}
      >
        {(close) => (
          <>
            <Named chosen={range} bounds={bounds} onChosen={close} />
            <OwnRange span={span} bounds={bounds} onChosen={close} />
          </>
        )}
      </Menu>
      <Step {...{ range, span, bounds }} step={1} />
    </nav>
  );
}

const KEYS = { '-1': 'ArrowLeft', '1': 'ArrowRight' };

function Step({ range, span, bounds, step }: Props & { step: -1 | 1 }) {
  const change = span && range !== 'all' ? stepChange(range, span, step, bounds) : undefined;
  const text = step === -1 ? texts.ranges.before : texts.ranges.after;
  return (
    <button
      class="step"
      aria-label={text}
      title={text}
      aria-keyshortcuts={KEYS[step]}
      disabled={!change}
      onClick={() => change && go(change)}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={step === -1 ? 'M9.5 4.5 6 8l3.5 3.5' : 'M6.5 4.5 10 8l-3.5 3.5'} />
      </svg>
    </button>
  );
}

interface NamedProps {
  chosen: RangeName;
  bounds: Bounds;
  onChosen: () => void;
}

function Named({ chosen, bounds, onChosen }: NamedProps) {
  return (
    <ul class="options" onClick={onChosen}>
      {bounds.ranges.map((name) => (
        <li key={name}>
          <a
            class="option"
            {...linkTo(rangeChange(name))}
            aria-keyshortcuts={RANGE_KEYS[name]}
            aria-current={name === chosen ? 'page' : undefined}
          >
            {rangeText(name, bounds)}
            <kbd aria-hidden="true">{RANGE_KEYS[name]}</kbd>
          </a>
        </li>
      ))}
    </ul>
  );
}

function OwnRange({ span, bounds, onChosen }: Omit<Props, 'range'> & { onChosen: () => void }) {
  const [first, setFirst] = useState<string>();
  const { today, lastDay } = bounds;
  const choose = (day: string) => {
    if (first === undefined) return setFirst(day);
    go(spanChange(ordered(first, day), bounds));
    onChosen();
  };
  const last = span && span.to < lastDay ? span.to : lastDay;
  return (
    <Calendar
      {...{ today, lastDay }}
      initial={last}
      hint={first === undefined ? texts.calendar.first : texts.calendar.last}
      marked={(pointed) => (first === undefined ? span : ordered(first, pointed ?? first))}
      onChosen={choose}
    />
  );
}

const ordered = (one: string, other: string): Span =>
  one < other ? { from: one, to: other } : { from: other, to: one };
