import icon from '../shared/icon.svg';
import { texts } from '../shared/texts';
import { call, Refusal } from './client';
import { Complaint, Field } from './field';
import { useTask } from './use-task';

/** Replaces the service's error, which mentions a header that nobody has typed. */
async function exchange(key: string): Promise<void> {
  try {
    await call('POST', 'session', { headers: { Authorization: `Bearer ${encodeURIComponent(key)}` } });
  } catch (error) {
    const isWrong = error instanceof Refusal && error.status === 401;
    throw isWrong ? new Refusal(401, '', { key: [error.message] }) : error;
  }
}

/** The key is exchanged for a cookie that scripts cannot read, and is not stored in the browser. */
export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const task = useTask();
  const words = texts.console.signIn;
  const signIn = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const key = (new FormData(form).get('key') as string).trim();
    task.run(async () => {
      await exchange(key);
      form.reset();
      onSignedIn();
    });
  };
  return (
    <main class="sheet">
      <img src={icon} alt="" width="48" height="48" />
      <h1>{texts.console.title}</h1>
      <p>{words.text}</p>
      <form onSubmit={signIn}>
        <Field name="key" label={words.key} complaint={words.wrong} task={task}>
          {(attributes) => <input {...attributes} type="password" autocomplete="off" required autofocus />}
        </Field>
        <Complaint task={task} />
        <button class="primary">{words.button}</button>
      </form>
    </main>
  );
}
