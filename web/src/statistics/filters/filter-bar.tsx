import './filters.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { focusAddButton, showFilters } from './add-button';
import { Chip } from './chip';
import { FilterForm } from './filter-form';
import { type Filter, replaced } from './filters';
import type { Own, Reading } from '../reading';
import { later } from '../../shared/later';
import { texts } from '../../shared/texts';

const SavedForm = later(async () => (await import('../../goals/saved/saved-form')).SavedForm);
const SaveForm = later(async () => (await import('../../goals/saved/save-form')).SaveForm);

interface Props {
  filters: Filter[];
  reading: Reading;
}

/** The filters of the page. */
export function FilterBar({ filters, reading }: Props) {
  return (
    <FilterList {...{ filters, reading }} saved={reading.own} onChanged={showFilters}>
      <li>
        <button
          class="clear-filters"
          onClick={() => {
            showFilters([]);
            focusAddButton();
          }}
        >
          {texts.filters.clear}
        </button>
      </li>
      {reading.own?.mayChange && !isSaved(filters) && <Save filters={filters} own={reading.own} />}
    </FilterList>
  );
}

interface ListProps extends Props {
  /** Whose saved filters can be opened here. */
  saved?: Own | undefined;
  onChanged: (filters: Filter[]) => void;
  /** Further items. */
  children: ComponentChildren;
}

/** Filters as sentences that can be changed and removed. */
export function FilterList({ filters, reading, saved, onChanged, children }: ListProps) {
  const [changed, setChanged] = useState<Filter>();
  const remove = (filter: Filter) => {
    onChanged(replaced(filters, filter, []));
    focusAddButton();
  };
  return (
    <section class="filter-bar" aria-label={texts.filters.title}>
      <ul>
        {filters.map((filter) => (
          <li key={JSON.stringify(filter)} class="filter-holder">
            <Chip
              filter={filter}
              onChange={filter.name === 'saved' && !saved ? undefined : () => setChanged(filter)}
              onRemoved={() => remove(filter)}
            />
            {isSame(changed, filter) && (
              <ChangeForm
                {...{ filters, reading, saved, onChanged }}
                changed={filter}
                onClosed={() => setChanged(undefined)}
              />
            )}
          </li>
        ))}
        {children}
      </ul>
    </section>
  );
}

interface ChangeProps extends Omit<ListProps, 'children'> {
  changed: Filter;
  onClosed: () => void;
}

function ChangeForm({ saved, ...props }: ChangeProps) {
  if (props.changed.name === 'saved' && saved) return <SavedForm {...props} own={saved} />;
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
