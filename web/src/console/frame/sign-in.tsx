import icon from '../../shared/icon.svg';
import { texts } from '../../shared/texts';
import { call, Refusal } from '../client';
import { Copied } from '../forms/copied';
import { Complaint, Field } from '../forms/field';
import './sign-in.css';
import { useTask } from '../forms/use-task';

/** The address of the first user. */
const FIRST_USER = 'admin@localhost';

interface Props {
  command: string;
  onSignedIn: () => void;
}

/** Replaces the service's error, which mentions a header that nobody has typed. */
async function exchange(key: string): Promise<void> {
  try {
    await call('POST', 'session', { headers: { Authorization: `Bearer ${encodeURIComponent(key)}` } });
  } catch (error) {
    const isWrong = error instanceof Refusal && error.status === 401;
    throw isWrong ? new Refusal(401, '', { key: [error.message] }) : error;
  }
}

/** Password managers save and fill in nothing without a name. */
const UserName = () => (
  <input
    class="hidden"
    type="text"
    autocomplete="username"
    value="Milepost"
    readOnly
    tabIndex={-1}
    aria-hidden="true"
  />
);

/** The key is exchanged for a cookie that scripts cannot read. Only a password manager stores it in the browser. */
export function SignIn({ command, onSignedIn }: Props) {
  const task = useTask();
  const words = texts.console.signIn;
  const signIn = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const key = (new FormData(form).get('key') as string).trim();
    task.run(async () => {
      await exchange(key);
      onSignedIn();
    });
  };
  return (
    <main class="sign-in">
      <div class="sheet">
        <img src={icon} alt="" width="44" height="44" />
        <h1>{words.title}</h1>
        <p>{words.text}</p>
        <form onSubmit={signIn}>
          <UserName />
          <Field name="key" label={words.key} complaint={words.wrong} task={task}>
            {(attributes) => (
              <input {...attributes} type="password" autocomplete="current-password" required autofocus />
            )}
          </Field>
          <Complaint task={task} />
          <button class="primary">{words.button}</button>
        </form>
        <details class="lost">
          <summary>{words.lost}</summary>
          <p>{words.lostText}</p>
          <Copied text={`${command} key create ${FIRST_USER}`} />
        </details>
      </div>
    </main>
  );
}
