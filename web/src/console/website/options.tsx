import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { texts } from '../../shared/texts';
import { change, type Session, type Website } from '../client';
import { Confirm } from '../confirm';
import { ONLY } from '../only';
import { Complaint, Field } from '../field';
import { type Task, useTask } from '../use-task';

const words = texts.console.options;
const LISTS = ['exclude_params', 'exclude_ips', 'allowed_origins'] as const;
const SWITCHES = ['exclude_bots', 'email', 'share_filters'] as const;

interface Props {
  session: Session;
  website: Website;
  /** The tracking script to embed. */
  snippet: ComponentChildren;
  base: string;
  mayChange: boolean;
  onChanged: () => void;
}

/** All options of a website. The service's errors appear beside them. */
export function Options({ session, website, snippet, base, mayChange, onChanged }: Props) {
  const task = useTask();
  const [savedAt, setSavedAt] = useState<string>();
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = fieldsIn(new FormData(form));
    setSavedAt(undefined);
    task.run(async () => {
      const { updated_at: at } = await change<Website>(session, 'PATCH', `websites/${website.id}`, fields);
      for (const input of form.querySelectorAll<HTMLInputElement>('[type=password]')) input.value = '';
      for (const input of form.querySelectorAll<HTMLInputElement>('[name=forget]')) input.checked = false;
      setSavedAt(at);
      onChanged();
    });
  };
  return (
    <main class="narrow">
      <div class="title-row">
        <h1>{website.domain}</h1>
      </div>
      {snippet}
      <form class="card" onSubmit={save}>
        <fieldset disabled={!mayChange}>
          <legend class="hidden">{words.title}</legend>
          <Access website={website} task={task} base={base} />
          {(['exclude_bots', 'email'] as const).map((name) => (
            <Switch key={name} name={name} isOn={website[name] === 1} task={task} />
          ))}
          {LISTS.map((name) => (
            <Field key={name} name={name} label={words[name].label} hint={words[name].hint} task={task}>
              {(attributes) => (
                <textarea {...attributes} rows={3} spellcheck={false} defaultValue={website[name] ?? ''} />
              )}
            </Field>
          ))}
          <Complaint task={task} />
          <button class="primary">{words.save}</button>
          <span role="status" class="saved quiet">
            {savedAt && words.saved}
          </span>
        </fieldset>
      </form>
      {mayChange && !session.key.websites && <Removal session={session} website={website} />}
    </main>
  );
}

/** An empty password field keeps the stored password, unless it is to be deleted. */
function fieldsIn(form: FormData): object {
  const texts = Object.fromEntries([...form].map(([name, value]) => [name, value as string]));
  const { password, forget, ...others } = texts;
  return {
    ...others,
    privacy: Number(texts.privacy),
    ...Object.fromEntries(SWITCHES.map((name) => [name, form.has(name) ? 1 : 0])),
    ...(password ? { password } : forget && { password: '' }),
  };
}

function Access({ website, task, base }: { website: Website; task: Task; base: string }) {
  const { domain, privacy, has_password: hasPassword } = website;
  return (
    <>
      <Field name="privacy" label={words.privacy.label} task={task}>
        {(attributes) => (
          <select {...attributes} defaultValue={String(privacy)}>
            {([1, 0, 2] as const).map((value) => (
              <option key={value} value={value} selected={value === privacy}>
                {words.privacy[value]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        name="password"
        label={words.password.label}
        hint={hasPassword ? words.password.stored : words.password.hint}
        task={task}
      >
        {(attributes) => (
          <input {...attributes} type="password" autocomplete="new-password" maxLength={512} />
        )}
      </Field>
      {hasPassword && (
        <div class="field switch">
          <label>
            <input type="checkbox" name="forget" /> {words.password.forget}
          </label>
        </div>
      )}
      <Switch name="share_filters" isOn={website.share_filters === 1} task={task} />
      {privacy !== 1 && (
        <p class="hint">
          {words.shared}{' '}
          <a href={`share/${encodeURIComponent(domain)}`}>
            {base}/share/{domain}
          </a>
        </p>
      )}
    </>
  );
}

function Switch({ name, isOn, task }: { name: (typeof SWITCHES)[number]; isOn: boolean; task: Task }) {
  const own = words[name];
  const { label, hint } = typeof own === 'string' ? { label: own } : own;
  const hintId = hint && `${name}-hint`;
  return (
    <div class="field switch">
      <label>
        <input type="checkbox" name={name} defaultChecked={isOn} aria-describedby={hintId} /> {label}
      </label>
      {hint && (
        <p class="quiet hint" id={hintId}>
          {hint}
        </p>
      )}
      {task.errorsOf(name).map((error) => (
        <p class="complaint" role="alert" key={error}>
          {texts.console.wrong(label, error)}
        </p>
      ))}
    </div>
  );
}

function Removal({ session, website: { id, domain } }: { session: Session; website: Website }) {
  const [isAsking, setAsking] = useState(false);
  const task = useTask();
  const remove = () =>
    task.run(async () => {
      await change(session, 'DELETE', `websites/${id}`);
      go(ONLY);
    });
  return (
    <section class="card removal">
      <p>{words.removal.text}</p>
      <button class="plain danger" onClick={() => setAsking(true)}>
        {words.removal.button}
      </button>
      {isAsking && (
        <Confirm
          title={words.removal.title(domain)}
          text={words.removal.text}
          button={words.removal.confirm(domain)}
          task={task}
          onConfirmed={remove}
          onClosed={() => setAsking(false)}
        />
      )}
    </section>
  );
}
