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
  const edits = useEdits(website);
  useUnsaved(edits.areThere ? words.leave : undefined);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    // It is emptied once it is saved.
    const sent = contentOf(form, 'password');
    const fields = edits.changed(fieldsIn);
    task.run(async () => {
      if (Object.keys(fields).length > 0)
        await change<Website>(session, 'PATCH', `websites/${website.id}`, fields);
      for (const input of form.querySelectorAll<HTMLInputElement>('[type=password]')) input.value = '';
      edits.onSaved(sent);
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

/** Tells whether a form differs from what is saved. */
function useEdits(website: Website) {
  const form = useRef<HTMLFormElement>(null);
  const saved = useRef('[]');
  const [areThere, setThere] = useState(false);
  // An input may add or remove others, which are there once it is handled.
  const look = () => setTimeout(() => form.current && setThere(contentOf(form.current) !== saved.current));
  // A form without edits shows each answer of the service.
  useLayoutEffect(() => {
    if (!areThere) saved.current = contentOf(form.current!);
  }, [website, areThere]);
  const onSaved = (content: string) => {
    saved.current = content;
    look();
  };
  /** The fields that differ from what is saved. The others may have been changed elsewhere meanwhile. */
  const changed = (fieldsIn: Props['fieldsIn']) => {
    const before = Object.entries(fieldsIn(formDataOf(saved.current)));
    const now = Object.entries(fieldsIn(new FormData(form.current!)));
    return Object.fromEntries(now.filter(([name, value]) => !before.some(isSame(name, value))));
  };
  return { form, areThere, look, onSaved, changed };
}

/** Empty fields are as good as none. */
function contentOf(form: HTMLFormElement, leftOut?: string): string {
  const entries = [...new FormData(form)].filter(([name, value]) => value !== '' && name !== leftOut);
  return JSON.stringify(entries);
}

const isSame =
  (name: string, value: unknown) =>
  ([other, before]: [string, unknown]) =>
    other === name && (before ?? '') === (value ?? '');

function formDataOf(content: string): FormData {
  const data = new FormData();
  for (const [name, value] of JSON.parse(content) as [string, string][]) data.append(name, value);
  return data;
}
