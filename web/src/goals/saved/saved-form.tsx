import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Complaints } from '../../console/forms/field';
import { type Task, useTask } from '../../console/forms/use-task';
import { showToast } from '../../console/frame/toast';
import { go } from '../../shared/address';
import { Trouble } from '../../shared/notices';
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
  const { list, isLoading, failure, retry } = useDefined(own, 'saved-filters');
  const name = changed.values[0]!;
  const saved = list?.find((one) => one.name === name);
  const box = useRef<HTMLDivElement>(null);
  // So that Escape closes it.
  useLayoutEffect(() => box.current!.focus(), []);
  const show: Shown = (by, how) => {
    focusAddButton();
    onClosed();
    go(withFilters(replaced(filters, changed, by)), how);
  };
  return (
    <Popover label={words.saved.change(name)} onClosed={onClosed}>
      <div ref={box} class="saved-form" tabIndex={-1}>
        {failure && <Trouble failure={failure} retry={retry} />}
        {!saved && !isLoading && !failure && <p class="enough">{words.saved.gone}</p>}
        {saved && !failure && <Content {...{ own, saved }} onShown={show} />}
      </div>
    </Popover>
  );
}

/** Shows filters in place of the saved one. An address with a name that is gone is replaced. */
type Shown = (filters: Filter[], how?: 'replace') => void;

interface ContentProps {
  own: Own;
  saved: SavedFilter;
  onShown: Shown;
}

function Content({ own, saved, onShown }: ContentProps) {
  const task = useTask();
  const [isShared, setShared] = useState(saved.shared === 1);
  useEffect(() => setShared(saved.shared === 1), [saved.shared]);
  const single = saved.filters.map(filterOf).filter((filter) => filter !== undefined);
  return (
    <>
      <ul class="saved-conditions">
        {saved.filters.map((json, index) => (
          <li key={index}>
            <bdi>{conditionText([json])}</bdi>
          </li>
        ))}
      </ul>
      {own.mayChange && <Name {...{ own, saved, task, onShown }} />}
      {own.mayChange && <Shared {...{ own, saved, task, isShared }} onShared={setShared} />}
      <Complaints task={task} />
      <div class="form-foot">
        {own.mayChange && <Removal {...{ own, saved, task, isShared, onShown }} />}
        {single.length === saved.filters.length && (
          <button type="button" class="plain" onClick={() => onShown(single)}>
            {words.saved.edit}
          </button>
        )}
      </div>
    </>
  );
}

function Name({ own, saved, task, onShown }: ContentProps & { task: Task }) {
  const [name, setName] = useState(saved.name);
  const rename = (event: SubmitEvent) => {
    event.preventDefault();
    task.run(async () => {
      const renamed = await update(own, 'saved-filters', saved.id, { name });
      onShown([savedFilter(renamed.name)], 'replace');
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

interface SharedProps extends Pick<ContentProps, 'own' | 'saved'> {
  task: Task;
  isShared: boolean;
  onShared: (is: boolean) => void;
}

/** Limits the shared page to a saved filter; another one that did is replaced. The page is opened once that is confirmed. */
function Shared({ own, saved, task, isShared, onShared }: SharedProps) {
  const [isAsking, setAsking] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const share = (is: boolean) =>
    task.run(async () => {
      onShared(is);
      try {
        await update(own, 'saved-filters', saved.id, { shared: is ? 1 : 0 });
      } catch (error) {
        onShared(!is);
        throw error;
      }
      showToast(words.saved.saved);
    });
  const answer = (isSure: boolean) => {
    setAsking(false);
    box.current!.focus();
    if (isSure) share(false);
  };
  const onClick = (event: MouseEvent) => {
    if (!task.isRunning && !isShared) return;
    event.preventDefault();
    setAsking(!task.isRunning);
  };
  return (
    <>
      <label class="limit">
        <input
          ref={box}
          type="checkbox"
          checked={isShared}
          // A field that is disabled would lose the focus.
          aria-disabled={task.isRunning}
          aria-describedby="limit-note"
          onClick={onClick}
          onChange={() => share(true)}
        />
        {words.saved.shared}
      </label>
      <p class="quiet" id="limit-note">
        {words.saved.sharedNote}
      </p>
      {isAsking && <Opening onAnswered={answer} />}
    </>
  );
}

/** Asks before viewers see everything. */
function Opening({ onAnswered }: { onAnswered: (isSure: boolean) => void }) {
  const cancel = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => cancel.current!.focus(), []);
  return (
    <span class="sure" role="group" aria-label={words.saved.opens}>
      {words.saved.opens}
      <button ref={cancel} type="button" class="plain" onClick={() => onAnswered(false)}>
        {texts.filters.cancel}
      </button>
      <button type="button" class="plain danger" onClick={() => onAnswered(true)}>
        {words.saved.open}
      </button>
    </span>
  );
}

function Removal({ own, saved, task, isShared, onShown }: ContentProps & { task: Task; isShared: boolean }) {
  const [isSure, setSure] = useState<boolean>();
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isSure !== undefined) button.current!.focus();
  }, [isSure]);
  const removeIt = () =>
    task.run(async () => {
      await remove(own, 'saved-filters', saved.id);
      showToast(words.saved.deleted);
      onShown([], 'replace');
    });
  if (!isSure)
    return (
      <button ref={button} type="button" class="text-button" onClick={() => setSure(true)}>
        {words.saved.delete}
      </button>
    );
  return (
    <span class="sure">
      {isShared ? words.saved.guards(saved.name) : words.saved.sure}
      <button ref={button} type="button" class="plain" onClick={() => setSure(false)}>
        {texts.filters.cancel}
      </button>
      {!isShared && (
        <button type="button" class="plain danger" onClick={removeIt}>
          {words.saved.delete}
        </button>
      )}
    </span>
  );
}
