import { useState } from 'preact/hooks';
import { texts } from '../../shared/texts';
import { change, Refusal, type Session } from '../client';
import { Dialog, DialogForm } from '../forms/dialog';
import { Field } from '../forms/field';
import { ShownOnce } from '../forms/shown-once';
import { type Task, useTask } from '../forms/use-task';
import { showToast } from '../frame/toast';
import { EVENTS, FORMATS, type Secret, type Webhook } from './webhook';
import { words } from './words';

const MAX_URL_LENGTH = 2000;
const FIELDS = ['url', 'format', 'events'];

interface Props {
  session: Session;
  /** Undefined for a new one. */
  webhook: Webhook | undefined;
  onSaved: () => void;
  onClosed: () => void;
}

/** Asks for what a webhook has, and shows the secret of a new one once. */
export function WebhookDialog({ session, webhook, onSaved, onClosed }: Props) {
  const task = useTask();
  const [secret, setSecret] = useState<string>();
  const title = webhook ? words.editTitle : words.new;
  const save = (form: FormData, close: () => void) =>
    task.run(async () => {
      const fields = fieldsIn(form);
      if (fields.events.length === 0) throw new Refusal(422, '', { events: [words.chooseSome] });
      if (webhook) {
        await change(session, 'PATCH', `webhooks/${webhook.id}`, fields);
        showToast(words.saved);
        close();
      } else setSecret((await change<Secret>(session, 'POST', 'webhooks', fields)).secret);
      onSaved();
    });
  return (
    <Dialog
      title={secret === undefined ? title : words.secretTitle}
      kind="definition"
      isKept={secret !== undefined}
      onClosed={onClosed}
    >
      {(close) =>
        secret === undefined ? (
          <DialogForm
            {...{ task, close }}
            shown={FIELDS}
            button={webhook ? words.save : words.add}
            onSubmit={(form) => save(form, close)}
          >
            <Url url={webhook?.url} task={task} />
            <Field name="format" label={words.format} hint={words.formatHint} task={task}>
              {(attributes) => (
                <select {...attributes} defaultValue={webhook?.format}>
                  {FORMATS.map((format) => (
                    <option key={format} value={format} selected={format === webhook?.format}>
                      {words.formats[format]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Events events={webhook?.events ?? EVENTS} task={task} />
            <label class="check">
              <input type="checkbox" name="enabled" defaultChecked={webhook?.enabled !== 0} />
              {words.enabled}
            </label>
          </DialogForm>
        ) : (
          <ShownOnce text={secret} note={words.once} onDone={close} />
        )
      }
    </Dialog>
  );
}

function Url({ url, task }: { url: string | undefined; task: Task }) {
  return (
    <Field name="url" label={words.url} hint={words.urlHint} task={task}>
      {(attributes) => (
        <input
          {...attributes}
          type="url"
          required
          autofocus
          autocomplete="off"
          maxLength={MAX_URL_LENGTH}
          placeholder="https://example.com/hook"
          defaultValue={url}
        />
      )}
    </Field>
  );
}

interface EventsProps {
  events: readonly Webhook['events'][number][];
  task: Task;
}

function Events({ events, task }: EventsProps) {
  return (
    <fieldset>
      <legend>{words.events}</legend>
      {EVENTS.map((event) => (
        <label key={event} class="check">
          <input type="checkbox" name="event" value={event} defaultChecked={events.includes(event)} />
          <span>
            <b>{words.eventNames[event]}</b> <span class="quiet">{words.eventTexts[event]}</span>
          </span>
        </label>
      ))}
      {task.errorsOf('events').map((error) => (
        <p key={error} class="complaint" role="alert">
          {error === words.chooseSome ? error : texts.console.wrong(words.events, error)}
        </p>
      ))}
    </fieldset>
  );
}

const fieldsIn = (form: FormData) => ({
  url: (form.get('url') as string).trim(),
  format: form.get('format'),
  events: form.getAll('event'),
  enabled: form.has('enabled') ? 1 : 0,
});
