import { useState } from 'preact/hooks';
import { Dialog, DialogForm } from '../../console/forms/dialog';
import { Field } from '../../console/forms/field';
import { useTask } from '../../console/forms/use-task';
import { showToast } from '../../console/frame/toast';
import type { Places } from '../../statistics/page-answer';
import type { Own } from '../../statistics/reading';
import { type Funnel, store, update } from '../definitions';
import { ChoiceField } from '../forms/choice-field';
import { words } from '../words';
import { draftsOf, stepsOf } from './step-drafts';
import { StepFields } from './step-fields';

const { funnels } = words;
const ORDERS = ['open', 'strict'] as const;
const WITHINS = ['visit', 'day'] as const;
const FIELDS = ['name'];

interface Props {
  own: Own;
  places: Places;
  /** Undefined for a new one. */
  funnel: Funnel | undefined;
  onSaved: (saved: Funnel) => void;
  onClosed: () => void;
}

/** The form of a funnel of two to eight steps. */
export function FunnelDialog({ own, places, funnel, onSaved, onClosed }: Props) {
  const task = useTask();
  const [name, setName] = useState(funnel?.name ?? '');
  const [drafts, setDrafts] = useState(() => draftsOf(funnel));
  const [order, setOrder] = useState(funnel?.order ?? 'open');
  const [within, setWithin] = useState(funnel?.within ?? 'visit');
  const save = (close: () => void) => {
    const fields = { name, steps: stepsOf(drafts), order, within };
    task.run(async () => {
      const saved = await (funnel
        ? update(own, 'funnels', funnel.id, fields)
        : store(own, 'funnels', fields));
      showToast(funnels.saved);
      close();
      onSaved(saved);
    });
  };
  return (
    <Dialog title={funnel ? funnels.editTitle : funnels.create} kind="definition" onClosed={onClosed}>
      {(close) => (
        <DialogForm {...{ task, close }} shown={FIELDS} button={funnels.save} onSubmit={() => save(close)}>
          <Field name="name" label={funnels.name} task={task}>
            {(attributes) => (
              <input
                {...attributes}
                autocomplete="off"
                maxLength={100}
                required
                value={name}
                onInput={({ currentTarget }) => setName(currentTarget.value)}
              />
            )}
          </Field>
          <StepFields {...{ drafts, places }} onChanged={setDrafts} />
          <Rules {...{ order, within }} onOrder={setOrder} onWithin={setWithin} />
        </DialogForm>
      )}
    </Dialog>
  );
}

interface RulesProps extends Pick<Funnel, 'order' | 'within'> {
  onOrder: (order: Funnel['order']) => void;
  onWithin: (within: Funnel['within']) => void;
}

/** What may lie between steps, and how far apart they may be. */
function Rules({ order, within, onOrder, onWithin }: RulesProps) {
  return (
    <>
      <ChoiceField
        label={funnels.order}
        of={ORDERS}
        wordOf={(one) => funnels.orders[one]}
        chosen={order}
        onChosen={onOrder}
      />
      <ChoiceField
        label={funnels.within}
        of={WITHINS}
        wordOf={(one) => funnels.withins[one]}
        chosen={within}
        onChosen={onWithin}
      />
    </>
  );
}
