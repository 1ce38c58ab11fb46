import './filters.css';
import { useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { focusAddButton } from './add-button';
import { Chip } from './chip';
import { FilterForm } from './filter-form';
import { type Filter, replaced, withFilters } from './filters';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';

interface Props {
  filters: Filter[];
  reading: Reading;
}

function show(filters: Filter[]): void {
  go(withFilters(filters));
  focusAddButton();
}

/** The filters as sentences that can be changed and removed. */
export function FilterBar({ filters, reading }: Props) {
  const [changed, setChanged] = useState<Filter>();
  const words = texts.filters;
  return (
    <section class="filter-bar" aria-label={words.title}>
      <ul>
        {filters.map((filter) => (
          <li key={JSON.stringify(filter)} class="filter-holder">
            <Chip
              filter={filter}
              onChange={() => setChanged(filter)}
              onRemoved={() => show(replaced(filters, filter, []))}
            />
            {isSame(changed, filter) && (
              <FilterForm {...{ filters, reading }} changed={filter} onClosed={() => setChanged(undefined)} />
            )}
          </li>
        ))}
        {filters.length > 1 && (
          <li>
            <button class="clear-filters" onClick={() => show([])}>
              {words.clear}
            </button>
          </li>
        )}
      </ul>
    </section>
  );
}

/** Filters are read from the address anew each time. */
const isSame = (one: Filter | undefined, other: Filter) => JSON.stringify(one) === JSON.stringify(other);
