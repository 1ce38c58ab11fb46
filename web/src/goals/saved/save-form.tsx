import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Complaints, Field } from '../../console/forms/field';
import { useTask } from '../../console/forms/use-task';
import { showToast } from '../../console/frame/toast';
import { go } from '../../shared/address';
import { texts } from '../../shared/texts';
import { focusAddButton } from '../../statistics/filters/add-button';
import { asJson, type Filter, savedFilter, withFilters } from '../../statistics/filters/filters';
import { Popover } from '../../statistics/filters/popover';
import type { Own } from '../../statistics/reading';
import { store, update, useDefined } from '../definitions';
import { words } from '../words';
import './saved.css';

interface Props {
  own: Own;
  filters: Filter[];
  onClosed: () => void;
}

const NAMES = 'saved-names';

/** Saves filters under a name, which then stands for them. A known name gets these instead of its own. */
export function SaveForm({ own, filters, onClosed }: Props) {
  const task = useTask();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current!.focus(), []);
  const [name, setName] = useState('');
  const { list = [] } = useDefined(own, 'saved-filters');
  const known = list.find((one) => one.name === name.trim());
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = { filters: filters.map(asJson) };
    task.run(async () => {
      const saved = await (known
        ? update(own, 'saved-filters', known.id, fields)
        : store(own, 'saved-filters', { name, ...fields }));
      showToast(words.saved.saved);
      focusAddButton();
      onClosed();
      go(withFilters([savedFilter(saved.name)]));
    });
  };
  return (
    <Popover label={words.saved.saveTitle} onClosed={onClosed}>
      <form class="saved-form" onSubmit={save}>
        <Field name="name" label={words.saved.name} task={task}>
          {(attributes) => (
            <input
              {...attributes}
              list={NAMES}
              autocomplete="off"
              ref={input}
              required
              maxLength={100}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <datalist id={NAMES}>
          {list.map((one) => (
            <option key={one.id} value={one.name} />
          ))}
        </datalist>
        {known && <p class="quiet">{words.saved.replaces(known.name)}</p>}
        {known?.shared === 1 && <p class="quiet">{words.saved.limits}</p>}
        <Complaints task={task} shown={['name']} />
        <div class="form-foot">
          <button type="button" class="plain" onClick={onClosed}>
            {texts.filters.cancel}
          </button>
          <button class="primary">{known ? words.saved.replace : words.saved.button}</button>
        </div>
      </form>
    </Popover>
  );
}
