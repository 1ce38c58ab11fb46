import type { ComponentChildren } from 'preact';
import { Choice } from '../../../../statistics/filters/choices';
import { texts } from '../../../../shared/texts';
import type { Task } from '../../../forms/use-task';
import { CONDITIONS, type Draft, isRelative, METRICS, metricText, WITHINS } from './drafts';
import { words } from './words';

const { fields } = words;
const MOST = { above: undefined, below: undefined, rises: 10_000, falls: 100, silent: undefined };

interface Props {
  draft: Draft;
  /** What helps to choose a threshold. */
  hint: string;
  task: Task;
  onChanged: (changes: Partial<Draft>) => void;
}

/** What an alert watches, as a sentence with fields in it. */
export function RuleSentence({ draft, hint, task, onChanged }: Props) {
  const { metric, condition, within } = draft;
  const metrics: string[] = [...new Set([...METRICS, metric])];
  const slots: Record<string, () => ComponentChildren> = {
    metric: () => (
      <Choice
        key="metric"
        label={fields.metric}
        of={metrics}
        wordOf={(one) => words.inSentence(metricText(one))}
        chosen={metric}
        onChosen={(one) => onChanged({ metric: one })}
      />
    ),
    within: () => (
      <Choice
        key="within"
        label={fields.within}
        of={WITHINS}
        wordOf={(one) => words.within[one]}
        chosen={within}
        onChosen={(one) => onChanged({ within: one })}
      />
    ),
    condition: () => (
      <Choice
        key="condition"
        label={fields.condition}
        of={CONDITIONS}
        wordOf={(one) => words.conditions[one]}
        chosen={condition}
        onChosen={(one) => onChanged({ condition: one })}
      />
    ),
    threshold: () => <Threshold key="threshold" {...{ draft, task, onChanged }} />,
  };
  const errors = task.errorsOf('threshold');
  const parts = words.rules[condition].split(/\{(\w+)\}/);
  return (
    <div class="field">
      <p class="rule">{parts.map((part) => slots[part]?.() ?? part)}</p>
      {condition !== 'silent' && (
        <p class="quiet hint" id="threshold-hint">
          {hint}
        </p>
      )}
      {errors.length > 0 && (
        <p class="complaint" id="threshold-errors" role="alert">
          {texts.console.wrong(thresholdLabel(draft), errors.join('; '))}
        </p>
      )}
    </div>
  );
}

const thresholdLabel = (draft: Draft) => (isRelative(draft) ? fields.percent : fields.threshold);

function Threshold({ draft, task, onChanged }: Omit<Props, 'hint'>) {
  const isWrong = task.errorsOf('threshold').length > 0;
  return (
    <input
      id="threshold"
      type="number"
      inputMode="decimal"
      step="any"
      required
      aria-label={thresholdLabel(draft)}
      aria-invalid={isWrong ? 'true' : undefined}
      aria-describedby={isWrong ? 'threshold-hint threshold-errors' : 'threshold-hint'}
      min={isRelative(draft) ? 1 : 0}
      max={MOST[draft.condition]}
      value={draft.threshold}
      onInput={({ currentTarget }) => onChanged({ threshold: currentTarget.value })}
    />
  );
}
