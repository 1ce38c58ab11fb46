import './filters.css';
import { useState } from 'preact/hooks';
import { ADD_BUTTON } from './add-button';
import { FilterForm } from './filter-form';
import type { Filter } from './filters';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';

interface Props {
  filters: Filter[];
  reading: Reading;
}

/** A button that opens the form of a new filter below itself. */
export function AddFilter({ filters, reading }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="filter-holder">
      <button
        id={ADD_BUTTON}
        class="add-filter"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 4h12M4.5 8h7M7 12h2" />
        </svg>
        {texts.filters.add}
      </button>
      {isOpen && <FilterForm {...{ filters, reading }} changed={undefined} onClosed={() => setOpen(false)} />}
    </div>
  );
}
