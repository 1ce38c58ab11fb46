import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Complaints, Field } from '../../console/forms/field';
import { useTask } from '../../console/forms/use-task';
import { showToast } from '../../console/frame/toast';
import { texts } from '../../shared/texts';
import type { Places } from '../../statistics/page-answer';
import { Choice } from '../../statistics/filters/choices';
import type { Own } from '../../statistics/reading';
import { type Funnel, store, update } from '../definitions';
import '../forms/forms.css';
import { words } from '../words';
import { draftsOf, stepsOf } from './step-drafts';
import { StepFields } from './step-fields';

const { funnels } = words;
const ORDERS = ['open', 'strict'] as const;
const WITHINS = ['visit', 'day'] as const;

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
  const dialog = useRef<HTMLDialogElement>(null);
  const task = useTask();
  const [name, setName] = useState(funnel?.name ?? '');
  const [drafts, setDrafts] = useState(() => draftsOf(funnel));
  const [order, setOrder] = useState(funnel?.order ?? 'open');
  const [within, setWithin] = useState(funnel?.within ?? 'visit');
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = { name, steps: stepsOf(drafts), order, within };
    task.run(async () => {
      const saved = await (funnel
        ? update(own, 'funnels', funnel.id, fields)
        : store(own, 'funnels', fields));
      showToast(funnels.saved);
      dialog.current!.close();
      onSaved(saved);
    });
  };
  return (
    <dialog ref={dialog} class="confirm definition" aria-labelledby="funnel-title" onClose={onClosed}>
      <h2 id="funnel-title">{funnel ? funnels.editTitle : funnels.create}</h2>
      <form onSubmit={save}>
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
        <Complaints task={task} shown={['name']} />
        <div class="choices">
          <button type="button" class="plain" onClick={() => dialog.current!.close()}>
            {texts.console.cancel}
          </button>
          <button class="primary">{funnels.save}</button>
        </div>
      </form>
    </dialog>
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
      <Setting title={funnels.order}>
        {(label) => (
          <Choice
            label={label}
            of={ORDERS}
            wordOf={(one) => funnels.orders[one]}
            chosen={order}
            onChosen={onOrder}
          />
        )}
      </Setting>
      <Setting title={funnels.within}>
        {(label) => (
          <Choice
            label={label}
            of={WITHINS}
            wordOf={(one) => funnels.withins[one]}
            chosen={within}
            onChosen={onWithin}
          />
        )}
      </Setting>
    </>
  );
}

interface SettingProps {
  title: string;
  children: (label: string) => ComponentChildren;
}

function Setting({ title, children }: SettingProps) {
  return (
    <div class="field">
      <b aria-hidden="true">{title}</b>
      {children(title)}
    </div>
  );
}
