import { useState } from 'preact/hooks';
import { conditionText } from '../../../goals/conditions';
import { type Goal, useDefined } from '../../../goals/definitions';
import { GoalDialog } from '../../../goals/forms/goal-dialog';
import { GoalRemoval } from '../../../goals/forms/goal-removal';
import { words } from '../../../goals/words';
import { sumText } from '../../../shared/format';
import { Trouble } from '../../../shared/notices';
import type { Own } from '../../../statistics/reading';
import { headersOf } from '../../client';
import { Act } from '../../forms/act';
import './goals.css';
import type { SectionProps } from './section-form';

/** The goal that a dialog is about; a new one has none. */
interface Opened {
  act: 'edit' | 'remove';
  goal: Goal | undefined;
}

/** The goals of a website, to create, change and delete. */
export function Goals({ session, website, places, mayChange }: SectionProps) {
  const own: Own = { websiteId: String(website.id), mayChange, headers: headersOf(session) };
  const [turn, setTurn] = useState(0);
  const [opened, setOpened] = useState<Opened>();
  const { list, failure, retry } = useDefined(own, 'goals', turn);
  const dialog = { own, onSaved: () => setTurn(turn + 1), onClosed: () => setOpened(undefined) };
  return (
    <section class="card section own-goals">
      <h2>{words.tabs.goals}</h2>
      <p class="quiet">{list?.length === 0 ? words.none.goals : words.goals.text}</p>
      {failure && <Trouble failure={failure} retry={retry} />}
      {list && list.length > 0 && <GoalList goals={list} mayChange={mayChange} onOpened={setOpened} />}
      {mayChange && list && (
        <div>
          <button class="primary" onClick={() => setOpened({ act: 'edit', goal: undefined })}>
            {words.goals.create}
          </button>
        </div>
      )}
      {opened?.act === 'edit' && <GoalDialog {...dialog} places={places} goal={opened.goal} />}
      {opened?.act === 'remove' && <GoalRemoval {...dialog} goal={opened.goal!} />}
    </section>
  );
}

interface ListProps {
  goals: Goal[];
  mayChange: boolean;
  onOpened: (opened: Opened) => void;
}

function GoalList({ goals, mayChange, onOpened }: ListProps) {
  return (
    <ul class="goal-list">
      {goals.map((goal) => (
        <li key={goal.id}>
          <p class="goal-text">
            <b>
              <bdi>{goal.name}</bdi>
            </b>
            <span class="quiet">
              <bdi>{conditionText(goal.filters)}</bdi>
            </span>
          </p>
          <span class="goal-worth">{worthOf(goal)}</span>
          {mayChange && <Acts goal={goal} onOpened={onOpened} />}
        </li>
      ))}
    </ul>
  );
}

const worthOf = ({ value, currency }: Goal) =>
  value !== null && currency !== null ? sumText({ amount: value, currency }) : '';

function Acts({ goal, onOpened }: { goal: Goal; onOpened: ListProps['onOpened'] }) {
  const { editOne, remove } = words.goals;
  return (
    <span class="goal-acts">
      <Act kind="edit" label={editOne(goal.name)} onClick={() => onOpened({ act: 'edit', goal })} />
      <Act kind="remove" label={remove(goal.name)} onClick={() => onOpened({ act: 'remove', goal })} />
    </span>
  );
}
