import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../shared/texts';
import { change, type NewKey, type Session, type Website } from '../client';
import { Copied } from '../forms/copied';
import { Complaint, Field } from '../forms/field';
import { useTask } from '../forms/use-task';
import { Lifetime } from './lifetime';
import { wishIn } from './wish';
import { WebsitesChoice } from './websites-choice';

const words = texts.console.keys;
const SCOPES = ['read', 'full', 'events', 'annotations'] as const;

interface Props {
  session: Session;
  websites: Website[];
  onMade: () => void;
  onClosed: () => void;
}

/** Asks for all that a key can have, and shows the new key once. */
export function NewKeyDialog({ session, websites, onMade, onClosed }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [made, setMade] = useState<NewKey>();
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const close = () => dialog.current!.close();
  return (
    <dialog
      ref={dialog}
      class="confirm new-key"
      aria-labelledby="new-key-title"
      // Escape does not close what is shown this once.
      onCancel={(event) => made && event.preventDefault()}
      onClose={onClosed}
    >
      <h2 id="new-key-title">{made ? words.madeTitle : words.new}</h2>
      {made ? (
        <Made made={made} onDone={close} />
      ) : (
        <NewKeyForm {...{ session, websites }} onMade={(key) => (setMade(key), onMade())} onCancel={close} />
      )}
    </dialog>
  );
}

function Made({ made, onDone }: { made: NewKey; onDone: () => void }) {
  return (
    <div class="made">
      <p role="status">{words.once}</p>
      <Copied text={made.key} />
      <div class="choices">
        <button class="primary" onClick={onDone}>
          {words.done}
        </button>
      </div>
    </div>
  );
}

interface FormProps {
  session: Session;
  websites: Website[];
  onMade: (key: NewKey) => void;
  onCancel: () => void;
}

function NewKeyForm({ session, websites, onMade, onCancel }: FormProps) {
  const task = useTask();
  const make = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    task.run(async () => onMade(await change<NewKey>(session, 'POST', 'keys', wishIn(form, new Date()))));
  };
  return (
    <form onSubmit={make}>
      <Field name="name" label={words.name} hint={words.nameHint} task={task}>
        {(attributes) => <input {...attributes} autocomplete="off" maxLength={100} autofocus />}
      </Field>
      <Scopes />
      <WebsitesChoice websites={websites} task={task} />
      <Lifetime task={task} />
      <Complaint task={task} />
      <div class="choices">
        <button type="button" class="plain" onClick={onCancel}>
          {texts.console.cancel}
        </button>
        <button class="primary">{words.make}</button>
      </div>
    </form>
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
