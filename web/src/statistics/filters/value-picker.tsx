import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isWhole, Picked } from './chip';
import { MAX_VALUES, type Operator } from './filters';
import type { Name } from '../../shared/names';
import type { Reading } from '../reading';
import { useSuggestions } from './suggestions';
import { OptionList, optionId, OPTIONS } from './option-list';
import { texts } from '../../shared/texts';
import { wordsOf } from '../../shared/language/value-labels';

const words = texts.filters;
const MAX_LENGTH = 1000;
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

interface Props {
  name: Name;
  operator: Operator;
  values: readonly string[];
  /** Receives the value that is typed but not added yet. */
  typed: { current: string | undefined };
  reading: Reading;
  onChanged: (values: string[]) => void;
}

/** Several values, picked from a list that is searched by typing, or typed. */
export function ValuePicker({ name, operator, values, typed, reading, onChanged }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string>();
  const isPart = !isWhole(operator);
  const { values: options, counts, own, meant, isOld } = useSuggestions(reading, name, text, isPart);
  const marked = chosen !== undefined && options.includes(chosen) ? chosen : meant;
  typed.current = text === '' ? undefined : marked;
  // Before the next key is pressed.
  useLayoutEffect(() => input.current!.focus(), []);
  const type = (by: string) => {
    setText(by);
    setChosen(undefined);
  };
  const toggle = (value: string) => {
    const others = values.filter((one) => one !== value);
    onChanged(others.length < values.length ? others : [...values, value].slice(0, MAX_VALUES));
    type('');
    input.current!.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(besides(options, marked, step));
    } else if (event.key === 'Enter' && marked !== undefined) {
      event.preventDefault();
      // A value that is about to be found is not the typed text.
      if (isPart || !isOld || marked !== own) toggle(marked);
    } else if (event.key === 'Backspace' && text === '') onChanged(values.slice(0, -1));
  };
  return (
    <>
      <div class="picked-values">
        {values.map((value) => (
          <Token key={value} {...{ name, operator, value }} onRemoved={() => toggle(value)} />
        ))}
        <input
          ref={input}
          role="combobox"
          aria-label={words.value}
          aria-expanded="true"
          aria-controls={OPTIONS}
          aria-autocomplete="list"
          aria-activedescendant={marked === undefined ? undefined : optionId(options.indexOf(marked))}
          placeholder={values.length > 0 ? words.another : isPart ? words.text : words.search}
          autocomplete="off"
          maxLength={MAX_LENGTH}
          value={text}
          onKeyDown={onKeyDown}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      </div>
      <OptionList {...{ name, values, options, counts, own, marked }} onPicked={toggle} />
    </>
  );
}

/** The value before or after another, in a circle. */
function besides(values: readonly string[], value: string | undefined, step: number): string | undefined {
  const index = value === undefined ? (step > 0 ? -1 : 0) : values.indexOf(value);
  return values[(index + step + values.length) % values.length];
}

interface TokenProps {
  name: Name;
  operator: Operator;
  value: string;
  onRemoved: () => void;
}

function Token({ name, operator, value, onRemoved }: TokenProps) {
  return (
    <span class="token">
      <Picked {...{ name, operator, value }} />
      <button
        type="button"
        class="chip-act"
        aria-label={words.removeOne(wordsOf(name, value))}
        onClick={onRemoved}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="m4.5 4.5 7 7m0-7-7 7" />
        </svg>
      </button>
    </span>
  );
}
