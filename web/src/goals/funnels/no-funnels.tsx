import { Complaints } from '../../console/forms/field';
import { useTask } from '../../console/forms/use-task';
import type { Own, Reading } from '../../statistics/reading';
import { type Funnel, store } from '../definitions';
import { DEMO_DOMAIN, EXAMPLE_FUNNEL } from '../examples';
import { words } from '../words';

interface Props {
  own: Own;
  reading: Reading;
  onCreating: () => void;
  onChanged: (created: Funnel) => void;
}

/** Explains funnels to an owner who has none. */
export function NoFunnels({ own, reading, onCreating, onChanged }: Props) {
  const task = useTask();
  const createExample = () => task.run(async () => onChanged(await store(own, 'funnels', EXAMPLE_FUNNEL)));
  return (
    <div class="explained">
      <p class="quiet">{words.none.funnels}</p>
      <Complaints task={task} />
      {own.mayChange && (
        <p class="buttons">
          <button class="plain" onClick={onCreating}>
            {words.funnels.create}
          </button>
          {reading.domain === DEMO_DOMAIN && (
            <button class="plain" onClick={createExample}>
              {words.funnels.example}
            </button>
          )}
        </p>
      )}
    </div>
  );
}
