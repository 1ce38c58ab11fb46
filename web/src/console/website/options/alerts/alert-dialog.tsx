import { useState } from 'preact/hooks';
import { type Alert, store, update } from '../../../../goals/definitions';
import type { Places } from '../../../../statistics/page-answer';
import type { Own } from '../../../../statistics/reading';
import { Dialog, DialogForm } from '../../../forms/dialog';
import { Field } from '../../../forms/field';
import { type Task, useTask } from '../../../forms/use-task';
import { showToast } from '../../../frame/toast';
import { Switch } from '../option-fields';
import { draftOf, draftText, ruleOf } from './drafts';
import { RECIPIENT_FIELDS, RecipientsField, recipientsIn } from './recipients-field';
import { RuleFields } from './rule-fields';
import { words } from './words';

const { fields } = words;
const WAYS = ['mail', 'webhook'] as const;
/** An alert that is being created is on. */
const SWITCHES = [...WAYS, 'enabled'] as const;
/** The fields with a place for their errors. */
const SHOWN = ['name', 'threshold', 'quiet_hours', ...SWITCHES, ...RECIPIENT_FIELDS];
const MAX_NAME_LENGTH = 100;
const [USUAL_QUIET_HOURS, MOST_QUIET_HOURS] = [24, 720];

interface Props {
  own: Own;
  places: Places;
  /** Today, in the time zone of the service. */
  today: string;
  /** Undefined for a new one. */
  alert: Alert | undefined;
  onSaved: () => void;
  onClosed: () => void;
}

/** The form of an alert, with the fields that apply to its condition. */
export function AlertDialog({ own, places, today, alert, onSaved, onClosed }: Props) {
  const task = useTask();
  const [draft, setDraft] = useState(() => draftOf(alert));
  const sentence = draftText(draft);
  const switches = alert ? SWITCHES : WAYS;
  const save = (form: FormData, close: () => void) =>
    task.run(async () => {
      const sent = { ...ruleOf(draft), ...fieldsIn(form, switches, sentence) };
      await (alert ? update(own, 'alerts', alert.id, sent) : store(own, 'alerts', sent));
      showToast(words.saved);
      close();
      onSaved();
    });
  return (
    <Dialog title={alert ? words.edit : words.create} kind="definition" onClosed={onClosed}>
      {(close) => (
        <DialogForm
          {...{ task, close }}
          shown={SHOWN}
          button={words.save}
          onSubmit={(form) => save(form, close)}
        >
          <RuleFields {...{ draft, places, today, task }} onChanged={setDraft} />
          {draft.condition !== 'silent' && <QuietHours hours={alert?.quiet_hours} task={task} />}
          <div class="switches">
            {switches.map((name) => (
              <Switch key={name} name={name} label={fields[name]} isOn={alert?.[name] !== 0} task={task} />
            ))}
          </div>
          <RecipientsField recipients={alert?.recipients ?? []} task={task} />
          <Field name="name" label={fields.name} hint={fields.nameHint} task={task}>
            {(attributes) => (
              <input
                {...attributes}
                autocomplete="off"
                maxLength={MAX_NAME_LENGTH}
                placeholder={nameOf(sentence)}
                defaultValue={alert?.name}
              />
            )}
          </Field>
        </DialogForm>
      )}
    </Dialog>
  );
}

interface QuietProps {
  hours: number | undefined;
  task: Task;
}

function QuietHours({ hours = USUAL_QUIET_HOURS, task }: QuietProps) {
  return (
    <Field name="quiet_hours" label={fields.quiet} task={task}>
      {(attributes) => (
        <input {...attributes} type="number" required min={1} max={MOST_QUIET_HOURS} defaultValue={hours} />
      )}
    </Field>
  );
}

const nameOf = (sentence: string) => Array.from(sentence).slice(0, MAX_NAME_LENGTH).join('').trim();

function fieldsIn(form: FormData, switches: readonly string[], sentence: string) {
  const name = (form.get('name') as string).trim();
  return {
    name: name === '' ? nameOf(sentence) : name,
    ...(form.has('quiet_hours') && { quiet_hours: Number(form.get('quiet_hours')) }),
    ...Object.fromEntries(switches.map((one) => [one, form.has(one) ? 1 : 0])),
    recipients: recipientsIn(form),
  };
}
