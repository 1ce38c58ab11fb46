import { go, linkTo } from '../../shared/address';
import { texts } from '../../shared/texts';
import { change, type Session, type Website } from '../client';
import { ONLY } from '../only';
import { domainIn } from './domain-in';
import { Complaint, Field } from '../field';
import { useTask } from '../use-task';
import { useTitle } from '../use-title';

const words = texts.console.newWebsite;

export function NewWebsite({ session }: { session: Session }) {
  const task = useTask();
  useTitle(words.title);
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem('domain') as HTMLInputElement;
    const domain = (input.value = domainIn(input.value));
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
        <div class="choices">
          <button class="primary">{words.button}</button>
          <a class="plain" {...linkTo(ONLY)}>
            {texts.console.cancel}
          </a>
        </div>
      </form>
    </main>
  );
}
