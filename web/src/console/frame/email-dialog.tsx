import { texts } from '../../shared/texts';
import { change, type Session, type User } from '../client';
import { Dialog, DialogForm } from '../forms/dialog';
import { Field } from '../forms/field';
import { useTask } from '../forms/use-task';
import { showToast } from './toast';

const words = texts.console.account.changeEmail;
const FIELD = 'email';

interface Props {
  session: Session;
  onSaved: (user: User) => void;
  onClosed: () => void;
}

/** Asks for the address of the user. */
export function EmailDialog({ session, onSaved, onClosed }: Props) {
  const task = useTask();
  const save = (form: FormData, close: () => void) =>
    task.run(async () => {
      onSaved(await change<User>(session, 'PATCH', 'me', { email: form.get(FIELD) }));
      showToast(texts.console.options.saved);
      close();
    });
  return (
    <Dialog title={words.title} kind="definition" onClosed={onClosed}>
      {(close) => (
        <DialogForm
          {...{ task, close }}
          shown={[FIELD]}
          button={texts.console.options.save}
          onSubmit={(form) => save(form, close)}
        >
          <Field name={FIELD} label={words.label} hint={words.hint} task={task}>
            {(attributes) => (
              <input
                {...attributes}
                required
                type="email"
                autocomplete="email"
                maxLength={254}
                defaultValue={session.email}
              />
            )}
          </Field>
        </DialogForm>
      )}
    </Dialog>
  );
}
