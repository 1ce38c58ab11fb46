import { conditionText } from '../../../../goals/conditions';
import { ChoiceField } from '../../../../goals/forms/choice-field';
import { ConditionFields } from '../../../../goals/forms/condition-fields';
import { words as goalWords } from '../../../../goals/words';
import type { Places } from '../../../../statistics/page-answer';
import { Field } from '../../../forms/field';
import type { Task } from '../../../forms/use-task';
import {
  CONDITIONS,
  type Draft,
  fitting,
  isOfGoals,
  isRelative,
  kindsFor,
  METRICS,
  metricText,
  withKind,
  WITHINS,
} from './drafts';
import { words } from './words';

const { fields } = words;
const MOST = { above: undefined, below: undefined, rises: 10_000, falls: 100 };

interface Props {
  draft: Draft;
  places: Places;
  task: Task;
  onChanged: (draft: Draft) => void;
}

/** What an alert watches, and from when on it fires. */
export function RuleFields({ draft, places, task, onChanged }: Props) {
  const { metric, condition, within } = draft;
  const set = (changes: Partial<Draft>) => onChanged(fitting({ ...draft, ...changes }));
  const metrics: string[] = [...new Set([...METRICS, metric])];
  return (
    <>
      <ChoiceField
        label={fields.condition}
        of={CONDITIONS}
        wordOf={(one) => words.conditions[one]}
        chosen={condition}
        onChosen={(one) => set({ condition: one })}
      />
      {condition !== 'silent' && (
        <div class="pair">
          <ChoiceField
            label={fields.metric}
            of={metrics}
            wordOf={metricText}
            chosen={metric}
            onChosen={(one) => set({ metric: one })}
          />
          <ChoiceField
            label={fields.within}
            of={isRelative(draft) ? ['hour'] : WITHINS}
            wordOf={(one) => words.within[one]}
            chosen={isRelative(draft) ? 'hour' : within}
            onChosen={(one) => set({ within: one })}
          />
        </div>
      )}
      <Threshold {...{ draft, task }} onTyped={(threshold) => set({ threshold })} />
      <FilterFields {...{ draft, places }} onChanged={set} />
    </>
  );
}

interface ThresholdProps extends Pick<Props, 'draft' | 'task'> {
  onTyped: (threshold: string) => void;
}

function Threshold({ draft, task, onTyped }: ThresholdProps) {
  const { condition, threshold } = draft;
  if (condition === 'silent') return null;
  const isPercent = isRelative(draft);
  return (
    <Field
      name="threshold"
      label={isPercent ? fields.percent : fields.threshold}
      {...(isPercent && { hint: fields.percentHint })}
      task={task}
    >
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          inputMode="decimal"
          step="any"
          required
          min={isPercent ? 1 : 0}
          max={MOST[condition]}
          value={threshold}
          onInput={({ currentTarget }) => onTyped(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface FilterProps extends Pick<Props, 'draft' | 'places'> {
  onChanged: (changes: Partial<Draft>) => void;
}

/** Which hits are counted. Filters that the form does not have can be kept. */
function FilterFields({ draft, places, onChanged }: FilterProps) {
  const { filter, kept } = draft;
  const choices = [...(kept.length > 0 ? ['kept' as const] : []), 'all' as const, ...kindsFor(draft)];
  return (
    <>
      <ChoiceField
        label={fields.filters}
        of={choices}
        wordOf={(one) => {
          if (one === 'kept') return conditionText(kept);
          if (one === 'all') return isOfGoals(draft) ? fields.anyGoal : fields.all;
          return goalWords.goals.kinds[one];
        }}
        chosen={filter?.kind ?? (kept.length > 0 ? 'kept' : 'all')}
        onChosen={(one) => onChanged(withKind(draft, one))}
      />
      {filter && (
        <ConditionFields
          id="alert"
          {...{ places }}
          condition={filter}
          onChanged={(changed) => onChanged({ filter: changed })}
        />
      )}
    </>
  );
}
