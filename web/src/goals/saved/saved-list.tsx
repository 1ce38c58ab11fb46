import { Trouble } from '../../shared/notices';
import { focusAddButton } from '../../statistics/filters/add-button';
import { type Filter, savedFilter } from '../../statistics/filters/filters';
import type { Own } from '../../statistics/reading';
import { conditionText } from '../conditions';
import { useDefined } from '../definitions';
import { words } from '../words';
import './saved.css';

interface Props {
  own: Own;
  filters: Filter[];
  onChanged: (filters: Filter[]) => void;
  onClosed: () => void;
}

/** The saved filters. A click adds one to the other filters. */
export function SavedList({ own, filters, onChanged, onClosed }: Props) {
  const { list, failure, retry } = useDefined(own, 'saved-filters');
  if (failure) return <Trouble failure={failure} retry={retry} />;
  if (!list) return <div class="saved-list" />;
  if (list.length === 0) return <p class="enough">{words.none.saved}</p>;
  const isApplied = (name: string) => filters.some((one) => one.name === 'saved' && one.values[0] === name);
  const apply = (name: string) => {
    focusAddButton();
    onClosed();
    if (!isApplied(name)) onChanged([...filters, savedFilter(name)]);
  };
  return (
    <ul class="saved-list">
      {list.map((saved) => (
        <li key={saved.id}>
          <button
            type="button"
            class="option"
            aria-current={isApplied(saved.name) ? 'true' : undefined}
            onClick={() => apply(saved.name)}
          >
            <span>
              <span class="hidden">{words.saved.apply} </span>
              <bdi>{saved.name}</bdi>
            </span>
            <small class="quiet">
              <bdi>{conditionText(saved.filters)}</bdi>
            </small>
          </button>
        </li>
      ))}
    </ul>
  );
}
