import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go, linkTo } from '../../shared/address';
import { shownDomain } from '../../../../engine/ground/shown-domain';
import { urlOf } from '../../shared/api';
import { useTyped } from '../../shared/controls/search';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { API, change, type Session, type Website } from '../client';
import { Complaint, Field } from '../forms/field';
import { ONLY } from '../only';
import { useTask } from '../forms/use-task';
import { useTitle } from '../use-title';
import { domainIn } from './domain-in';
import { Steps } from './steps';

const words = texts.console.newWebsite;

/** The first step of adding a website. */
export function NewWebsite({ session }: { session: Session }) {
  const task = useTask();
  const [typed, setTyped] = useState('');
  const [sent, setSent] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current!.focus(), []);
  useTitle(words.title);
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const domain = domainIn(typed);
    setTyped(domain);
    task.run(async () => {
      setSent(domain);
      const { id } = await change<Website>(session, 'POST', 'websites', { domain });
      go({ ...ONLY, website: String(id), view: 'install' });
    });
  };
  return (
    <main class="column">
      <h1>{words.title}</h1>
      <Steps current="domain" />
      <form class="card section" onSubmit={add}>
        <Field
          name="domain"
          label={words.domain}
          hint={words.hint}
          complaint={words.wrong(task.errorsOf('domain').join('; '))}
          task={task}
        >
          {(attributes) => (
            <input
              {...attributes}
              ref={input}
              required
              autocapitalize="none"
              autocomplete="off"
              spellcheck={false}
              placeholder="example.com"
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
        </Field>
        <Taken typed={typed === sent ? '' : typed} />
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

/** Says which domain is taken from the typed text, or why the service would refuse it. Its place is always there. */
function Taken({ typed }: { typed: string }) {
  const domain = useTyped(domainIn(typed));
  const url = domain === '' ? undefined : urlOf(`${API}/domain`, { domain });
  const { data, isLoading, failure } = useAnswer<{ data: { domain: string } }>(url);
  const [refusal] = failure?.errors.domain ?? [];
  return (
    <p class={refusal === undefined ? 'taken' : 'taken quiet'} role="status">
      {typed !== '' &&
        url !== undefined &&
        !isLoading &&
        (refusal === undefined ? data && words.taken(shownDomain(data.data.domain)) : words.wrong(refusal))}
    </p>
  );
}
