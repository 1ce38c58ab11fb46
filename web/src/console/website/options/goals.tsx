import { conditionText } from '../../../goals/conditions';
import type { Goal } from '../../../goals/definitions';
import { GoalDialog } from '../../../goals/forms/goal-dialog';
import { GoalRemoval } from '../../../goals/forms/goal-removal';
import { words } from '../../../goals/words';
import { sumText } from '../../../shared/format';
import { Trouble } from '../../../shared/notices';
import { Acts } from '../../forms/act';
import './goals.css';
import type { SectionProps } from './section-form';
import { type Opened, useDefinitions } from './use-definitions';

/** The goals of a website, to create, change and delete. */
export function Goals(props: SectionProps) {
  const { places, mayChange } = props;
  const { list, failure, retry, opened, setOpened, dialog } = useDefinitions(props, 'goals');
  return (
    <section class="card section own-goals">
      <h2>{words.tabs.goals}</h2>
      <p class="quiet">{list?.length === 0 ? words.none.goals : words.goals.text}</p>
      {failure && <Trouble failure={failure} retry={retry} />}
      {list && list.length > 0 && <GoalList goals={list} mayChange={mayChange} onOpened={setOpened} />}
      {mayChange && list && (
        <div>
          <button class="primary" onClick={() => setOpened({ act: 'edit', one: undefined })}>
            {words.goals.create}
          </button>
        </div>
      )}
      {opened?.act === 'edit' && <GoalDialog {...dialog} places={places} goal={opened.one} />}
      {opened?.act === 'remove' && <GoalRemoval {...dialog} goal={opened.one} />}
    </section>
  );
}

interface ListProps {
  goals: Goal[];
  mayChange: boolean;
  onOpened: (opened: Opened<'goals'>) => void;
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
          {mayChange && (
            <Acts name={goal.name} words={words.goals} onOpened={(act) => onOpened({ act, one: goal })} />
          )}
        </li>
      ))}
    </ul>
  );
}

const worthOf = ({ value, currency }: Goal) =>
  value !== null && currency !== null ? sumText({ amount: value, currency }) : '';
