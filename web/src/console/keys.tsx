import { useState } from 'preact/hooks';
import { urlOf } from '../shared/api';
import { dayText } from '../shared/format';
import { Pager } from '../shared/pager';
import { Trouble } from '../shared/notices';
import { texts } from '../shared/texts';
import { useAnswer } from '../shared/use-answer';
import { API, change, type Key, type NewKey, type PageOf, type Session } from './client';
import { Confirm } from './confirm';
import { Copied } from './copied';
import { Complaint, Field } from './field';
import { useTask } from './use-task';
import { useTitle } from './use-title';

const words = texts.console.keys;
const SCOPES = ['read', 'full', 'events'] as const;

export function Keys({ session, address }: { session: Session; address: URLSearchParams }) {
  useTitle(words.title);
  const [turn, setTurn] = useState(0);
  const [made, setMade] = useState<NewKey>();
  const page = Math.max(1, Math.floor(Number(address.get('at'))) || 1);
  const answer = useAnswer<PageOf<Key>>(urlOf(`${API}/keys`, { per_page: 25, page }), turn);
  const next = () => setTurn(turn + 1);
  return (
    <main>
      <div class="title-row">
        <h1>{words.title}</h1>
      </div>
      <NewKeyForm session={session} onMade={(key) => (setMade(key), next())} />
      {made && (
        <div class="card made" role="status">
          <p>{words.once}</p>
          <Copied text={made.key} />
        </div>
      )}
      {answer.failure && <Trouble failure={answer.failure} retry={answer.retry} />}
      {answer.data && (
        <ul class="card keys">
          {answer.data.data.map((key) => (
            <KeyRow key={key.id} {...{ session }} shown={key} onDeleted={next} />
          ))}
        </ul>
      )}
      {answer.data && answer.data.meta.last_page > 1 && <Pager {...answer.data.meta} />}
    </main>
  );
}

function NewKeyForm({ session, onMade }: { session: Session; onMade: (key: NewKey) => void }) {
  const task = useTask();
  const make = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const { name, scope, ends } = Object.fromEntries(new FormData(form)) as Record<string, string>;
    const fields = { ...(name && { name }), scope, ...(ends && { expires_at: `${ends}T00:00:00` }) };
    task.run(async () => {
      onMade(await change<NewKey>(session, 'POST', 'keys', fields));
      form.reset();
    });
  };
  return (
    <form class="card new-key" onSubmit={make}>
      <Field name="name" label={words.name} task={task}>
        {(attributes) => <input {...attributes} />}
      </Field>
      <Field name="scope" label={words.scope} task={task}>
        {(attributes) => (
          <select {...attributes}>
            {SCOPES.map((scope) => (
              <option key={scope} value={scope}>
                {words.scopes[scope]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field name="expires_at" label={words.ends} task={task}>
        {(attributes) => <input {...attributes} name="ends" type="date" max="9999-12-31" />}
      </Field>
      <button class="primary">{words.make}</button>
      <Complaint task={task} />
    </form>
  );
}

function KeyRow({ session, shown, onDeleted }: { session: Session; shown: Key; onDeleted: () => void }) {
  const { id, name, prefix, scope, expires_at: ends, last_used_at: used } = shown;
  const [isAsking, setAsking] = useState(false);
  const task = useTask();
  const isOwn = id === session.key.id;
  const remove = () =>
    task.run(async () => {
      await change(session, 'DELETE', `keys/${id}`);
      if (isOwn) location.reload();
      else onDeleted();
    });
  return (
    <li>
      <span class="key-name">
        <bdi>{name || words.unnamed}</bdi> <code>{prefix}…</code>
      </span>
      <span class="badge">{words.scopes[scope]}</span>
      <span class="quiet since">
        {used === null ? words.unused : words.used(dayText(used.slice(0, 10)))}
        {ends && ` · ${words.until(dayText(ends.slice(0, 10)))}`}
      </span>
      <button class="plain danger" onClick={() => setAsking(true)}>
        {words.remove}
        <span class="hidden"> {name || prefix}</span>
      </button>
      {isAsking && (
        <Confirm
          title={words.removal.title(name || prefix)}
          text={isOwn ? words.removal.own : words.removal.text}
          button={words.removal.confirm}
          task={task}
          onConfirmed={remove}
          onClosed={() => setAsking(false)}
        />
      )}
    </li>
  );
}
