import { useState } from 'preact/hooks';
import { Complaints } from '../../console/forms/field';
import { useTask } from '../../console/forms/use-task';
import type { Own, Reading } from '../../statistics/reading';
import { store } from '../definitions';
import { DEMO_DOMAIN, EXAMPLE_GOAL } from '../examples';
import { GoalDialog } from '../forms/goal-dialog';
import { words } from '../words';

interface Props {
  own: Own;
  reading: Reading;
  onCreated: () => void;
}

/** Explains goals to an owner who has none. */
export function NoGoals({ own, reading, onCreated }: Props) {
  const [isCreating, setCreating] = useState(false);
  const task = useTask();
  const createExample = () =>
    task.run(async () => {
      await store(own, 'goals', EXAMPLE_GOAL);
      onCreated();
    });
  return (
    <div class="explained">
      <p class="quiet">{words.none.goals}</p>
      <Complaints task={task} />
      {own.mayChange && (
        <p class="buttons">
          <button class="plain" onClick={() => setCreating(true)}>
            {words.goals.create}
          </button>
          {reading.domain === DEMO_DOMAIN && (
            <button class="plain" onClick={createExample}>
              {words.goals.example}
            </button>
          )}
        </p>
      )}
      {isCreating && (
        <GoalDialog
          {...{ own, places: reading.places }}
          goal={undefined}
          onSaved={onCreated}
          onClosed={() => setCreating(false)}
        />
      )}
    </div>
  );
}
