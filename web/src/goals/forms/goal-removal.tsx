import { Confirm } from '../../console/forms/confirm';
import { useTask } from '../../console/forms/use-task';
import { showToast } from '../../console/frame/toast';
import type { Own } from '../../statistics/reading';
import { type Goal, remove, useDefined } from '../definitions';
import { referencesTo } from '../references';
import { words } from '../words';

const { removal, deleted } = words.goals;

interface Props {
  own: Own;
  goal: Goal;
  onSaved: () => void;
  onClosed: () => void;
}

/** Deletes a goal with everything that refers to it, which is listed first. */
export function GoalRemoval({ own, goal, onSaved, onClosed }: Props) {
  const task = useTask();
  const saved = useDefined(own, 'saved-filters');
  const funnels = useDefined(own, 'funnels');
  const isKnown = !saved.isLoading && !funnels.isLoading;
  if (!isKnown) return null;
  const found = referencesTo(goal.name, saved.list ?? [], funnels.list ?? []);
  const names = [
    ...found.funnels.map(({ name }) => `${words.funnels.choose}: ${name}`),
    ...found.saved.map(({ name }) => `${words.saved.title}: ${name}`),
  ];
  const confirm = (close: () => void) =>
    task.run(async () => {
      for (const { id } of found.funnels) await remove(own, 'funnels', id);
      for (const { id } of found.saved) await remove(own, 'saved-filters', id);
      await remove(own, 'goals', goal.id);
      showToast(deleted);
      close();
      onSaved();
    });
  return (
    <Confirm
      title={removal.title(goal.name)}
      text={removal.text}
      button={names.length > 0 ? removal.both : removal.confirm}
      task={task}
      onConfirmed={confirm}
      onClosed={onClosed}
    >
      {names.length > 0 && (
        <div class="with-it">
          <p>{removal.with}</p>
          <ul>
            {names.map((name) => (
              <li key={name}>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
          {found.saved.some(({ shared }) => shared === 1) && <p>{words.saved.publishes}</p>}
        </div>
      )}
    </Confirm>
  );
}
