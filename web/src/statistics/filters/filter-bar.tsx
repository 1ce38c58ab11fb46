import './filters.css';
import { useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { focusAddButton } from './add-button';
import { Chip } from './chip';
import { FilterForm } from './filter-form';
import { type Filter, replaced, withFilters } from './filters';
import type { Own, Reading } from '../reading';
import { later } from '../../shared/later';
import { texts } from '../../shared/texts';

const SavedForm = later(async () => (await import('../../goals/saved/saved-form')).SavedForm);
const SaveForm = later(async () => (await import('../../goals/saved/save-form')).SaveForm);

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
              onChange={filter.name === 'saved' && !reading.own ? undefined : () => setChanged(filter)}
              onRemoved={() => show(replaced(filters, filter, []))}
            />
            {isSame(changed, filter) && (
              <ChangeForm {...{ filters, reading }} changed={filter} onClosed={() => setChanged(undefined)} />
            )}
          </li>
        ))}
        <li>
          <button class="clear-filters" onClick={() => show([])}>
            {words.clear}
          </button>
        </li>
        {reading.own?.mayChange && !isSaved(filters) && <Save filters={filters} own={reading.own} />}
      </ul>
    </section>
  );
}

function ChangeForm(props: { changed: Filter; onClosed: () => void } & Props) {
  const { own } = props.reading;
  if (props.changed.name === 'saved' && own) return <SavedForm {...props} own={own} />;
  return <FilterForm {...props} />;
}

const isSaved = ([first, ...others]: Filter[]) => first?.name === 'saved' && others.length === 0;

/** Saves the filters of the page under a name. */
function Save({ filters, own }: { filters: Filter[]; own: Own }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="filter-holder">
      <button
        class="clear-filters"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {texts.filters.save}
      </button>
      {isOpen && <SaveForm {...{ filters, own }} onClosed={() => setOpen(false)} />}
    </li>
  );
}

/** Filters are read from the address anew each time. */
const isSame = (one: Filter | undefined, other: Filter) => JSON.stringify(one) === JSON.stringify(other);
