import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { type StatEntry, urlOf } from '../../shared/api';
import { type Filter, mayAdd, type Operator, OPERATORS, replaced, withFilters } from './filters';
import { type FixedName, isProperty, type Name, NAMES } from '../../shared/names';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { useTyped } from '../../shared/search';
import { singularOf } from '../../shared/wording';

const words = texts.filters;
const SUGGESTED = 10;

interface Props {
  filters: Filter[];
  /** Undefined for a new one. */
  changed: Filter | undefined;
  reading: Reading;
  onClosed: () => void;
}

/** The form of a filter. Values are suggested during typing. */
export function FilterForm({ filters, changed, reading, onClosed }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  const others = filters.filter((filter) => filter !== changed);
  const names = namesFor(changed).filter((name) => mayAdd(others, name, reading));
  const [name, setName] = useState<Name>(changed?.name ?? names[0] ?? 'page');
  const [operator, setOperator] = useState<Operator>(changed?.operator ?? 'is');
  const [value, setValue] = useState(changed?.value ?? '');
  const show = (event: SubmitEvent) => {
    event.preventDefault();
    if (value === '') return;
    go(withFilters(replaced(filters, changed, [{ name, operator, value }])));
    dialog.current!.close();
  };
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="filter-title" onClose={onClosed}>
      <h2 id="filter-title">{changed ? words.change : words.add}</h2>
      {names.length === 0 && <p>{words.enough}</p>}
      <form class="filter-form" onSubmit={show}>
        <Choice label={words.name} of={names} wordOf={singularOf} chosen={name} onChosen={setName} />
        <Choice
          label={words.operator}
          of={OPERATORS}
          wordOf={(one) => words.operators[one]}
          chosen={operator}
          onChosen={setOperator}
        />
        <label>
          {words.value}
          <input
            required
            autofocus
            autocomplete="off"
            maxLength={1000}
            list="filter-values"
            value={value}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
        </label>
        <Suggestions {...{ name, reading }} typed={value} />
        <div class="choices">
          <button type="button" class="plain" onClick={() => dialog.current!.close()}>
            {words.cancel}
          </button>
          <button class="primary" disabled={names.length === 0}>
            {words.show}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Properties are chosen in their panel. */
function namesFor(changed: Filter | undefined): Name[] {
  const names = Object.keys(NAMES) as FixedName[];
  return changed && isProperty(changed.name) ? [...names, changed.name] : names;
}

interface ChoiceProps<T extends string> {
  label: string;
  of: readonly T[];
  wordOf: (one: T) => string;
  chosen: T;
  onChosen: (one: T) => void;
}

function Choice<T extends string>({ label, of, wordOf, chosen, onChosen }: ChoiceProps<T>) {
  return (
    <label>
      {label}
      <select value={chosen} onChange={({ currentTarget }) => onChosen(of[currentTarget.selectedIndex]!)}>
        {of.map((one) => (
          <option key={one} value={one} selected={one === chosen}>
            {wordOf(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SuggestionsProps {
  name: Name;
  typed: string;
  reading: Reading;
}

function Suggestions({ name, typed, reading: { places } }: SuggestionsProps) {
  const search = useTyped(typed);
  const answer = useAnswer<{ data: StatEntry[] }>(
    urlOf(places.values, { name, search, per_page: SUGGESTED }),
  );
  return (
    <datalist id="filter-values">
      {answer.data?.data.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </datalist>
  );
}
