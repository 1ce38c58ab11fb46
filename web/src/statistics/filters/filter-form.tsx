import type { TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { focusAddButton } from './add-button';
import { later } from '../../shared/later';
import { TabList } from '../../shared/controls/tab-list';
import { type Filter, mayAdd, NEGATED, type Operator, OPERATORS, replaced } from './filters';
import { Choice, NameChoice } from './choices';
import type { Name } from '../../shared/names';
import { Popover } from './popover';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';
import { ValuePicker } from './value-picker';

const words = texts.filters;
const NEW: Filter = { name: 'page', operator: 'is', values: [] };

interface Props {
  filters: Filter[];
  /** Undefined for a new one. */
  changed: Filter | undefined;
  reading: Reading;
  onChanged: (filters: Filter[]) => void;
  onClosed: () => void;
}

const SavedList = later(async () => (await import('../../goals/saved/saved-list')).SavedList);
const SHOWN = 'filter-shown';

/** The form of a filter, for the owner beside the saved ones. */
export function FilterForm(props: Props) {
  const { changed, reading, onClosed } = props;
  const [tab, setTab] = useState<'new' | 'saved'>('new');
  return (
    <Popover label={changed ? words.change : words.add} onClosed={onClosed}>
      {reading.own && !changed && (
        <TabList
          id="filter"
          title={words.add}
          controls={SHOWN}
          tabs={[
            { key: 'new', text: texts.bar.filter },
            { key: 'saved', text: words.savedOnes },
          ]}
          chosen={tab}
          onChosen={setTab}
        />
      )}
      <div id={SHOWN}>
        {tab === 'saved' ? <SavedList {...props} own={reading.own!} /> : <Sentence {...props} />}
      </div>
    </Popover>
  );
}

/** A filter as a sentence of a dimension, a condition, and values. */
function Sentence({ filters, changed, reading, onChanged, onClosed }: Props) {
  const others = filters.filter((filter) => filter !== changed);
  // A link may have a filter that its reader may only remove or replace.
  const first = changed && mayAdd(others, changed.name, reading) ? changed : NEW;
  const [name, setName] = useState<Name>(first.name);
  const [operator, setOperator] = useState<Operator>(first.operator);
  const [values, setValues] = useState(first.values);
  /** What is typed, as the value that it stands for. */
  const typed = useRef<string | undefined>(undefined);
  const form = useRef<HTMLFormElement>(null);
  if (!mayAdd(others, name, reading)) return <p class="enough">{words.enough}</p>;
  const apply = (by: Operator) => {
    const all = [...new Set([...values, ...(typed.current === undefined ? [] : [typed.current])])];
    if (all.length === 0) return form.current!.querySelector('input')?.focus();
    focusAddButton();
    onClosed();
    onChanged(replaced(filters, changed, [{ name, operator: by, values: all }]));
  };
  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    apply(operator);
  };
  const chooseName = (chosen: Name) => {
    setName(chosen);
    setValues([]);
  };
  return (
    <form ref={form} class="filter-form" onSubmit={onSubmit}>
      <div class="sentence">
        <NameChoice {...{ reading, changed }} chosen={name} onChosen={chooseName} />
        <Choice
          label={words.operator}
          of={OPERATORS}
          wordOf={(one) => words.operators[one]}
          chosen={operator}
          onChosen={setOperator}
        />
      </div>
      <ValuePicker key={name} {...{ name, operator, values, typed, reading }} onChanged={setValues} />
      <div class="form-foot">
        {changed && (
          <button type="button" class="text-button" onClick={() => apply(NEGATED[operator])}>
            {operator.endsWith('_not') ? words.include : words.exclude}
          </button>
        )}
        <button type="button" class="plain" onClick={onClosed}>
          {words.cancel}
        </button>
        <button class="primary">{words.show}</button>
      </div>
    </form>
  );
}
