import { go } from '../address';
import { texts } from '../texts';
import { change, type Session, type Website } from './client';
import { ONLY } from './console';
import { Complaint, Field } from './field';
import { useTask } from './use-task';

const words = texts.console.newWebsite;

export function NewWebsite({ session }: { session: Session }) {
  const task = useTask();
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const domain = new FormData(event.currentTarget as HTMLFormElement).get('domain');
    task.run(async () => {
      const { id } = await change<Website>(session, 'POST', 'websites', { domain });
      go({ ...ONLY, website: String(id), view: 'options' });
    });
  };
  return (
    <main class="card narrow">
      <h1>{words.title}</h1>
      <form onSubmit={add}>
        <Field name="domain" label={words.domain} hint={words.hint} task={task}>
          {(attributes) => (
            <input
              {...attributes}
              required
              autofocus
              autocapitalize="none"
              spellcheck={false}
              placeholder="example.com"
            />
          )}
        </Field>
        <Complaint task={task} />
        <button class="primary">{words.button}</button>
      </form>
    </main>
  );
}
