import { useState } from 'preact/hooks';
import { change, type NewKey, type Session, type Website } from '../client';
import { texts } from '../../shared/texts';
import { Dialog, DialogForm } from '../forms/dialog';
import { Field } from '../forms/field';
import { ShownOnce } from '../forms/shown-once';
import { useTask } from '../forms/use-task';
import { Lifetime } from './lifetime';
import { wishIn } from './new-key-fields';
import { WebsitesChoice } from './websites-choice';

const words = texts.console.keys;
const SCOPES = ['read', 'full', 'events', 'annotations'] as const;
/** Fields with a place for their errors. */
const FIELDS = ['name', 'websites', 'expires_at'];

interface Props {
  session: Session;
  websites: Website[];
  onMade: () => void;
  onClosed: () => void;
}

/** Asks for all that a key can have, and shows the new key once. */
export function NewKeyDialog({ session, websites, onMade, onClosed }: Props) {
  const [made, setMade] = useState<NewKey>();
  return (
    <Dialog
      title={made ? words.madeTitle : words.new}
      kind="new-key"
      isKept={made !== undefined}
      onClosed={onClosed}
    >
      {(close) =>
        made ? (
          <ShownOnce text={made.key} note={words.once} onDone={close} />
        ) : (
          <NewKeyForm {...{ session, websites, close }} onMade={(key) => (setMade(key), onMade())} />
        )
      }
    </Dialog>
  );
}

interface FormProps {
  session: Session;
  websites: Website[];
  close: () => void;
  onMade: (key: NewKey) => void;
}

function NewKeyForm({ session, websites, close, onMade }: FormProps) {
  const task = useTask();
  const make = (form: FormData) =>
    task.run(async () => onMade(await change<NewKey>(session, 'POST', 'keys', wishIn(form, new Date()))));
  return (
    <DialogForm {...{ task, close }} shown={FIELDS} button={words.make} onSubmit={make}>
      <Field name="name" label={words.name} hint={words.nameHint} task={task}>
        {(attributes) => <input {...attributes} autocomplete="off" maxLength={100} required autofocus />}
      </Field>
      <Scopes />
      <WebsitesChoice websites={websites} task={task} />
      <Lifetime task={task} />
    </DialogForm>
  );
}

function Scopes() {
  return (
    <fieldset>
      <legend>{words.scope}</legend>
      <div class="choice-cards">
        {SCOPES.map((scope) => (
          <label key={scope}>
            <input
              type="radio"
              name="scope"
              value={scope}
              defaultChecked={scope === 'read'}
              aria-labelledby={`scope-${scope}`}
              aria-describedby={`scope-${scope}-text`}
            />
            <b id={`scope-${scope}`}>{words.scopes[scope]}</b>
            <span class="quiet" id={`scope-${scope}-text`}>
              {words.scopeTexts[scope]}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
