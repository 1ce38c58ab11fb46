import { conditionText } from '../../../../goals/conditions';
import { ChoiceField } from '../../../../goals/forms/choice-field';
import { ConditionFields } from '../../../../goals/forms/condition-fields';
import { words as goalWords } from '../../../../goals/words';
import { numberText } from '../../../../shared/format';
import type { Places } from '../../../../statistics/page-answer';
import type { Task } from '../../../forms/use-task';
import { type Draft, fitting, isOfGoals, isRelative, kindsFor, withKind } from './drafts';
import { RuleSentence } from './rule-sentence';
import { type Usual, USUAL_DAYS, useUsual } from './usual';
import { words } from './words';

const { fields } = words;

interface Props {
  draft: Draft;
  places: Places;
  /** Today, in the time zone of the service. */
  today: string;
  task: Task;
  onChanged: (draft: Draft) => void;
}

/** What an alert watches, and when it is triggered. */
export function RuleFields({ draft, places, today, task, onChanged }: Props) {
  const usual = useUsual(draft, places, today);
  const set = (changes: Partial<Draft>) => onChanged(fitting({ ...draft, ...changes }));
  return (
    <>
      <RuleSentence {...{ draft, task }} hint={hintOf(draft, usual)} onChanged={set} />
      <FilterFields {...{ draft, places }} onChanged={set} />
    </>
  );
}

function hintOf(draft: Draft, usual: Usual | undefined): string {
  if (isRelative(draft)) return fields.percentHint;
  if (!usual) return '';
  const { within } = draft;
  return words.usual[within](
    numberText(USUAL_DAYS[within]),
    numberText(usual.median),
    numberText(usual.most),
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
