import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useUnsaved } from '../../../shared/address';
import { texts } from '../../../shared/texts';
import type { Places } from '../../../statistics/page-answer';
import { change, type Session, type Surroundings, type Website } from '../../client';
import { Complaint } from '../../forms/field';
import { showToast } from '../../frame/toast';
import { type Task, useTask } from '../../forms/use-task';

const words = texts.console.options;

/** What a section of the options needs. */
export interface SectionProps {
  session: Session;
  website: Website;
  surroundings: Surroundings;
  places: Places;
  mayChange: boolean;
  onChanged: () => void;
}

interface Props extends Omit<SectionProps, 'surroundings' | 'places'> {
  title: string;
  /** The options to send. */
  fieldsIn: (form: FormData) => object;
  children: (task: Task) => ComponentChildren;
}

/** Some options of a website, saved for themselves. */
export function SectionForm({ title, session, website, mayChange, fieldsIn, onChanged, children }: Props) {
  const task = useTask();
  const edits = useEdits();
  useUnsaved(edits.areThere ? words.leave : undefined);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    task.run(async () => {
      await change<Website>(session, 'PATCH', `websites/${website.id}`, fieldsIn(new FormData(form)));
      for (const input of form.querySelectorAll<HTMLInputElement>('[type=password]')) input.value = '';
      edits.forget();
      showToast(words.saved);
      onChanged();
    });
  };
  return (
    <form class="card section" ref={edits.form} onSubmit={save} onInput={edits.look}>
      <h2>{title}</h2>
      <fieldset disabled={!mayChange}>
        <legend class="hidden">{title}</legend>
        {children(task)}
        <Complaint task={task} />
        <div class="saving">
          <button class="primary">{words.save}</button>
          {edits.areThere && <span class="quiet">{words.unsaved}</span>}
        </div>
      </fieldset>
    </form>
  );
}

/** Whether a form differs from what was saved last. */
function useEdits() {
  const form = useRef<HTMLFormElement>(null);
  const saved = useRef('');
  const [areThere, setThere] = useState(false);
  const forget = () => {
    // Its section may have been left meanwhile.
    if (form.current) saved.current = contentOf(form.current);
    setThere(false);
  };
  // An input may add or remove others, which are there once it is handled.
  const look = () => setTimeout(() => form.current && setThere(contentOf(form.current) !== saved.current));
  useLayoutEffect(forget, []);
  return { form, areThere, look, forget };
}

const contentOf = (form: HTMLFormElement) =>
  JSON.stringify([...new FormData(form)].filter(([, value]) => value !== ''));
