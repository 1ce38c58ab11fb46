import { useEffect, useRef } from 'preact/hooks';
import { shortNumberText } from '../../shared/format';
import { Icon } from '../icons/icon';
import type { Name } from '../../shared/names';
import { Sign } from '../../shared/sign';
import { texts } from '../../shared/texts';
import { regionOf, wordsOf } from '../../shared/language/value-labels';

export const OPTIONS = 'filter-values';
export const optionId = (index: number) => `${OPTIONS}-${index}`;

interface Props {
  name: Name;
  /** The options that are picked already. */
  values: readonly string[];
  options: readonly string[];
  counts: ReadonlyMap<string, number>;
  /** The one that Enter picks. */
  marked: string | undefined;
  /** The one that is typed, and not known. */
  own: string | undefined;
  onPicked: (value: string) => void;
}

/** Values to pick by a click, or by keys that the field beside it receives. */
export function OptionList({ name, values, options, counts, marked, own, onPicked }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current!.querySelector('.marked')?.scrollIntoView({ block: 'nearest' });
  }, [marked]);
  return (
    <div
      ref={list}
      id={OPTIONS}
      class="option-list"
      role="listbox"
      aria-label={texts.filters.suggestions}
      aria-multiselectable
      tabIndex={-1}
    >
      {options.map((value, index) => (
        <div
          key={value}
          id={optionId(index)}
          role="option"
          aria-selected={values.includes(value)}
          class={value === marked ? 'marked' : ''}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPicked(value)}
        >
          {value === own ? <bdi>{texts.filters.typed(value)}</bdi> : <Words name={name} value={value} />}
          {counts.has(value) && (
            <span class="option-count quiet" aria-hidden="true">
              {shortNumberText(counts.get(value)!)}
            </span>
          )}
          {values.includes(value) && <Sign name="tick" />}
        </div>
      ))}
    </div>
  );
}

function Words({ name, value }: { name: Name; value: string }) {
  return (
    <>
      <Icon name={name} value={value} />
      <bdi>{wordsOf(name, value)}</bdi>
      {name === 'city' && <span class="quiet">{regionOf(value)}</span>}
    </>
  );
}
