import { useState } from 'preact/hooks';
import type { Own, Reading } from '../../statistics/reading';
import { store } from '../definitions';
import { DEMO_DOMAIN, EXAMPLE_GOAL } from '../examples';
import { Explained } from '../explained';
import { GoalDialog } from '../forms/goal-dialog';
import { words } from '../words';

interface Props {
  own: Own;
  reading: Reading;
  onCreated: () => void;
}

/** Explains goals to an owner who has none. */
export function NoGoals({ own, reading: { domain, places }, onCreated }: Props) {
  const [isCreating, setCreating] = useState(false);
  const storeExample = async () => {
    await store(own, 'goals', EXAMPLE_GOAL);
    onCreated();
  };
  return (
    <>
      <Explained
        text={words.none.goals}
        mayChange={own.mayChange}
        create={words.goals.create}
        example={domain === DEMO_DOMAIN ? words.goals.example : undefined}
        onCreating={() => setCreating(true)}
        storeExample={storeExample}
      />
      {isCreating && (
        <GoalDialog
          {...{ own, places }}
          goal={undefined}
          onSaved={onCreated}
          onClosed={() => setCreating(false)}
        />
      )}
    </>
  );
}
