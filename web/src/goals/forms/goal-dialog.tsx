import { useState } from 'preact/hooks';
import { Refusal } from '../../console/client';
import { Dialog, DialogForm } from '../../console/forms/dialog';
import { Field } from '../../console/forms/field';
import { type Task, useTask } from '../../console/forms/use-task';
import { showToast } from '../../console/frame/toast';
import type { Places } from '../../statistics/page-answer';
import type { Own } from '../../statistics/reading';
import { type Condition, conditionOf, filtersOf, NO_CONDITION } from '../conditions';
import { type Goal, store, update } from '../definitions';
import { words } from '../words';
import { amountIn, isUnclear } from './amount';
import { ConditionFields } from './condition-fields';
import { KindCards } from './kind-cards';

const { goals } = words;
const FIELDS = ['name', 'value', 'currency'] as const;
const KINDS = ['page', 'pattern', 'event'] as const;

interface Props {
  own: Own;
  places: Places;
  /** Undefined for a new one. */
  goal: Goal | undefined;
  onSaved: () => void;
  onClosed: () => void;
}

/** The form of a goal. One with other conditions than those of the form keeps them. */
export function GoalDialog({ own, places, goal, onSaved, onClosed }: Props) {
  const task = useTask();
  const [condition, setCondition] = useState(goal ? conditionOf(goal.filters) : NO_CONDITION);
  const save = (form: FormData, close: () => void) => {
    const fields = fieldsIn(form, condition);
    task.run(async () => {
      // A stored value, which the field shows, is clear.
      if (fields.value !== goal?.value && isUnclear(fields.value ?? ''))
        throw new Refusal(422, '', { value: [goals.unclear] });
      await (goal ? update(own, 'goals', goal.id, fields) : store(own, 'goals', fields));
      showToast(goals.saved);
      close();
      onSaved();
    });
  };
  return (
    <Dialog title={goal ? goals.edit : goals.create} kind="definition" onClosed={onClosed}>
      {(close) => (
        <DialogForm
          {...{ task, close }}
          shown={FIELDS}
          button={goals.save}
          onSubmit={(form) => save(form, close)}
        >
          <Field name="name" label={goals.name} hint={goals.nameHint} task={task}>
            {(attributes) => (
              <input {...attributes} autocomplete="off" maxLength={100} required defaultValue={goal?.name} />
            )}
          </Field>
          {condition ? (
            <>
              <KindCards
                kinds={KINDS}
                chosen={condition.kind}
                onChosen={(kind) => setCondition({ ...condition, kind })}
              />
              <ConditionFields id="goal" {...{ condition, places }} onChanged={setCondition} />
            </>
          ) : (
            <p class="quiet">{goals.kept}</p>
          )}
          <Worth goal={goal} task={task} />
        </DialogForm>
      )}
    </Dialog>
  );
}

/** What it is worth each time; nothing if its events say so. */
function Worth({ goal, task }: { goal: Goal | undefined; task: Task }) {
  const complaint = task.errorsOf('value').find((error) => error === goals.unclear);
  return (
    <div class="pair">
      <Field name="value" label={goals.amount} hint={goals.amountHint} complaint={complaint} task={task}>
        {(attributes) => (
          <input
            {...attributes}
            inputMode="decimal"
            autocomplete="off"
            maxLength={21}
            placeholder={goals.amountExample}
            defaultValue={goal?.value ?? ''}
          />
        )}
      </Field>
      <Field name="currency" label={goals.currency} task={task}>
        {(attributes) => (
          <input
            {...attributes}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            maxLength={3}
            placeholder="EUR"
            defaultValue={goal?.currency ?? ''}
          />
        )}
      </Field>
    </div>
  );
}

const textIn = (form: FormData, name: string) => (form.get(name) as string).trim();

function fieldsIn(form: FormData, condition: Condition | undefined) {
  const amount = amountIn(textIn(form, 'value'));
  const currency = textIn(form, 'currency').toUpperCase();
  return {
    name: form.get('name'),
    ...(condition && { filters: filtersOf(condition) }),
    value: amount === '' ? null : amount,
    currency: currency === '' ? null : currency,
  };
}
