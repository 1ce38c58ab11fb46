import icon from '../icon.svg';
import { texts } from '../texts';
import { call } from './client';
import { Complaint, Field } from './field';
import { useTask } from './use-task';

/** The key is exchanged for a cookie that scripts cannot read, and kept nowhere in the browser. */
export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const task = useTask();
  const signIn = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const key = (new FormData(form).get('key') as string).trim();
    task.run(async () => {
      await call('POST', 'session', { headers: { Authorization: `Bearer ${encodeURIComponent(key)}` } });
      form.reset();
      onSignedIn();
    });
  };
  return (
    <main class="sheet">
      <img src={icon} alt="" width="48" height="48" />
      <h1>{texts.console.title}</h1>
      <p>{texts.console.signIn.text}</p>
      <form onSubmit={signIn}>
        <Field name="key" label={texts.console.signIn.key} task={task}>
          {(attributes) => <input {...attributes} type="password" autocomplete="off" required autofocus />}
        </Field>
        <Complaint task={task} />
        <button class="primary">{texts.console.signIn.button}</button>
      </form>
    </main>
  );
}
