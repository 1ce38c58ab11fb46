import type { ComponentChildren } from 'preact';
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
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    task.run(async () => {
      await change<Website>(session, 'PATCH', `websites/${website.id}`, fieldsIn(new FormData(form)));
      for (const input of form.querySelectorAll<HTMLInputElement>('[type=password]')) input.value = '';
      showToast(words.saved);
      onChanged();
    });
  };
  return (
    <form class="card section" onSubmit={save}>
      <h2>{title}</h2>
      <fieldset disabled={!mayChange}>
        <legend class="hidden">{title}</legend>
        {children(task)}
        <Complaint task={task} />
        <div>
          <button class="primary">{words.save}</button>
        </div>
      </fieldset>
    </form>
  );
}
