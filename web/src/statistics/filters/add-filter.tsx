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
  onChanged: (filters: Filter[]) => void;
}

/** A button that opens the form of a new filter below itself. */
export function AddFilter(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="filter-holder">
      <button
        id={ADD_BUTTON}
        class="bar-button"
        aria-label={texts.filters.add}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-keyshortcuts="F"
        onClick={() => setOpen(!isOpen)}
      >
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2.5 4h11m-9 4h7m-5 4h3" />
        </svg>
        <span class="wide">{texts.bar.filter}</span>
      </button>
      {isOpen && <FilterForm {...props} changed={undefined} onClosed={() => setOpen(false)} />}
    </div>
  );
}
