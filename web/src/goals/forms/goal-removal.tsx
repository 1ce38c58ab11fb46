import { useRef } from 'preact/hooks';
import { Confirm } from '../../console/forms/confirm';
import { useTask } from '../../console/forms/use-task';
import { showToast } from '../../console/frame/toast';
import { Trouble } from '../../shared/notices';
import type { Own } from '../../statistics/reading';
import { type Goal, remove, useDefined } from '../definitions';
import { type References, referencesTo } from '../references';
import { words } from '../words';

const { removal, deleted } = words.goals;
/** In the order in which they are deleted: alerts and funnels may refer to saved filters. */
const KINDS = ['alerts', 'funnels', 'saved'] as const;
const PATHS = { alerts: 'alerts', funnels: 'funnels', saved: 'saved-filters' } as const;
const NAMES = { alerts: words.alert, funnels: words.funnels.choose, saved: words.saved.title };

interface Props {
  own: Own;
  goal: Goal;
  onSaved: () => void;
  onClosed: () => void;
}

/** Deletes a goal with everything that refers to it, which is listed first. */
export function GoalRemoval({ own, goal, onSaved, onClosed }: Props) {
  const task = useTask();
  const { all, isLoading, failed } = useReferring(own);
  const isShown = useRef(false);
  if (isLoading && !isShown.current) return null;
  isShown.current = true;
  const found = referencesTo(goal.name, all);
  const isAlone = KINDS.every((kind) => found[kind].length === 0);
  const isPossible = !isLoading && failed.length === 0 && !guardIn(found);
  const confirm = (close: () => void) =>
    task.run(async () => {
      for (const kind of KINDS) for (const { id } of found[kind]) await remove(own, PATHS[kind], id);
      await remove(own, 'goals', goal.id);
      showToast(deleted);
      close();
      onSaved();
    });
  return (
    <Confirm
      title={removal.title(goal.name)}
      text={removal.text}
      button={isPossible ? (isAlone ? removal.confirm : removal.both) : undefined}
      task={task}
      onConfirmed={confirm}
      onClosed={onClosed}
    >
      {failed[0] ? (
        <Trouble failure={failed[0].failure!} retry={() => failed.forEach(({ retry }) => retry())} />
      ) : (
        !isAlone && <Found found={found} />
      )}
    </Confirm>
  );
}

/** Without a list, what refers to a goal is not known. */
function useReferring(own: Own) {
  const [alerts, funnels, saved] = [
    useDefined(own, 'alerts'),
    useDefined(own, 'funnels'),
    useDefined(own, 'saved-filters'),
  ];
  const lists = [alerts, funnels, saved];
  return {
    all: { alerts: alerts.list ?? [], funnels: funnels.list ?? [], saved: saved.list ?? [] },
    isLoading: lists.some((list) => list.isLoading),
    failed: lists.filter(({ failure }) => failure),
  };
}

/** The saved filter that limits the shared page, which would show everything without it. */
const guardIn = ({ saved }: References) => saved.find(({ shared }) => shared === 1);

function Found({ found }: { found: References }) {
  const names = KINDS.flatMap((kind) => found[kind].map(({ name }) => `${NAMES[kind]}: ${name}`));
  const guard = guardIn(found);
  return (
    <div class="with-it">
      <p>{removal.with}</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      {guard && <p class="complaint">{words.saved.guards(guard.name)}</p>}
    </div>
  );
}
