import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Complaints } from '../../console/forms/field';
import { type Task, useTask } from '../../console/forms/use-task';
import { showToast } from '../../console/frame/toast';
import { go } from '../../shared/address';
import { texts } from '../../shared/texts';
import { focusAddButton } from '../../statistics/filters/add-button';
import { type Filter, replaced, savedFilter, withFilters } from '../../statistics/filters/filters';
import { Popover } from '../../statistics/filters/popover';
import type { Own } from '../../statistics/reading';
import { conditionText, filterOf } from '../conditions';
import { remove, type SavedFilter, update, useDefined } from '../definitions';
import { words } from '../words';
import './saved.css';

interface Props {
  own: Own;
  filters: Filter[];
  changed: Filter;
  onClosed: () => void;
}

/** What a saved filter of the page has, its name, and its end. */
export function SavedForm({ own, filters, changed, onClosed }: Props) {
  const { list } = useDefined(own, 'saved-filters');
  const name = changed.values[0]!;
  const saved = list?.find((one) => one.name === name);
  const show = (by: Filter[]) => {
    focusAddButton();
    onClosed();
    go(withFilters(replaced(filters, changed, by)));
  };
  return (
    <Popover label={words.saved.change(name)} onClosed={onClosed}>
      {list && !saved && <p class="enough">{words.saved.gone}</p>}
      {saved && <Content {...{ own, saved }} onShown={show} />}
    </Popover>
  );
}

interface ContentProps {
  own: Own;
  saved: SavedFilter;
  /** Shows filters in place of the saved one. */
  onShown: (filters: Filter[]) => void;
}

function Content({ own, saved, onShown }: ContentProps) {
  const task = useTask();
  const box = useRef<HTMLDivElement>(null);
  // So that Escape closes it.
  useLayoutEffect(() => box.current!.focus(), []);
  const single = saved.filters.map(filterOf).filter((filter) => filter !== undefined);
  return (
    <div ref={box} class="saved-form" tabIndex={-1}>
      <ul class="saved-conditions">
        {saved.filters.map((json, index) => (
          <li key={index}>
            <bdi>{conditionText([json])}</bdi>
          </li>
        ))}
      </ul>
      {own.mayChange && <Name {...{ own, saved, task, onShown }} />}
      {own.mayChange && <Shared {...{ own, saved, task }} />}
      <Complaints task={task} />
      <div class="form-foot">
        {own.mayChange && <Removal {...{ own, saved, task, onShown }} />}
        {single.length === saved.filters.length && (
          <button type="button" class="plain" onClick={() => onShown(single)}>
            {words.saved.edit}
          </button>
        )}
      </div>
    </div>
  );
}

function Name({ own, saved, task, onShown }: ContentProps & { task: Task }) {
  const [name, setName] = useState(saved.name);
  const rename = (event: SubmitEvent) => {
    event.preventDefault();
    task.run(async () => {
      const renamed = await update(own, 'saved-filters', saved.id, { name });
      onShown([savedFilter(renamed.name)]);
    });
  };
  return (
    <form class="rename" onSubmit={rename}>
      <input
        aria-label={words.saved.renameTo}
        autocomplete="off"
        required
        maxLength={100}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <button class="plain" disabled={name.trim() === saved.name}>
        {words.saved.rename}
      </button>
    </form>
  );
}

/** Limits the shared page to a saved filter; another one that did is replaced. */
function Shared({ own, saved, task }: Pick<ContentProps, 'own' | 'saved'> & { task: Task }) {
  const share = (is: boolean) =>
    task.run(async () => {
      await update(own, 'saved-filters', saved.id, { shared: is ? 1 : 0 });
      showToast(words.saved.saved);
    });
  return (
    <label class="limit">
      <input
        type="checkbox"
        defaultChecked={saved.shared === 1}
        onChange={({ currentTarget }) => share(currentTarget.checked)}
      />
      {words.saved.shared}
    </label>
  );
}

function Removal({ own, saved, task, onShown }: ContentProps & { task: Task }) {
  const [isSure, setSure] = useState(false);
  const removeIt = () =>
    task.run(async () => {
      await remove(own, 'saved-filters', saved.id);
      showToast(words.saved.deleted);
      onShown([]);
    });
  if (!isSure)
    return (
      <button type="button" class="text-button" onClick={() => setSure(true)}>
        {words.saved.delete}
      </button>
    );
  return (
    <span class="sure">
      {words.saved.sure}
      <button type="button" class="plain" autofocus onClick={() => setSure(false)}>
        {texts.filters.cancel}
      </button>
      <button type="button" class="plain danger" onClick={removeIt}>
        {words.saved.delete}
      </button>
    </span>
  );
}
