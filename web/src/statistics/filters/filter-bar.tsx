import { useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { FilterForm } from './filter-form';
import { type Filter, replaced, withFilters } from './filters';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';
import { singularOf, wordsOf } from '../../shared/wording';

interface Props {
  filters: Filter[];
  reading: Reading;
}

const show = (filters: Filter[]) => go(withFilters(filters));

/** The filters as chips that can be changed and removed. */
export function FilterBar({ filters, reading }: Props) {
  /** The index of the filter being changed. */
  const [changed, setChanged] = useState<number>();
  const words = texts.filters;
  return (
    <section class="filter-bar" aria-label={words.title}>
      <ul>
        {filters.map((filter, index) => (
          <Chip
            key={`${filter.name} ${filter.value}`}
            filter={filter}
            onChange={() => setChanged(index)}
            onRemoved={() => show(replaced(filters, filter, []))}
          />
        ))}
        {filters.length > 1 && (
          <li>
            <button class="add-filter" onClick={() => show([])}>
              {words.clear}
            </button>
          </li>
        )}
      </ul>
      {changed !== undefined && (
        <FilterForm
          {...{ filters, reading }}
          changed={filters[changed]}
          onClosed={() => setChanged(undefined)}
        />
      )}
    </section>
  );
}

interface ChipProps {
  filter: Filter;
  onChange: () => void;
  onRemoved: () => void;
}

function Chip({ filter: { name, operator, value }, onChange, onRemoved }: ChipProps) {
  const words = texts.filters;
  const text = operator === 'is' || operator === 'is_not' ? wordsOf(name, value) : value;
  const whole = `${singularOf(name)} ${words.operators[operator]} ${text}`;
  return (
    <li class={`chip ${operator.endsWith('_not') ? 'negated' : ''}`}>
      <button class="chip-text" onClick={onChange} title={words.change} aria-haspopup="dialog">
        <bdi class="chip-name">{singularOf(name)}</bdi> <span class="quiet">{words.operators[operator]}</span>{' '}
        <bdi>{text}</bdi>
      </button>
      <button class="chip-act" onClick={onRemoved} title={words.remove} aria-label={words.removeOne(whole)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="m4.5 4.5 7 7m0-7-7 7" />
        </svg>
      </button>
    </li>
  );
}
