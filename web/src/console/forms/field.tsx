import type { ComponentChildren } from 'preact';
import { texts } from '../../shared/texts';
import type { Task } from './use-task';

interface Props {
  name: string;
  label: string;
  hint?: string;
  /** Replaces the service's errors. */
  complaint?: string;
  task: Task;
  children: (attributes: object) => ComponentChildren;
}

/** An input with its label, a hint, and its errors. */
export function Field({ name, label, hint, complaint, task, children }: Props) {
  const errors = task.errorsOf(name);
  const described = [hint && `${name}-hint`, errors.length > 0 && `${name}-errors`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint && (
        <p class="quiet hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id: name,
        name,
        'aria-invalid': errors.length > 0 ? 'true' : undefined,
        'aria-describedby': described || undefined,
      })}
      {errors.length > 0 && (
        <p class="complaint" id={`${name}-errors`} role="alert">
          {complaint ?? texts.console.wrong(label, errors.join('; '))}
        </p>
      )}
    </div>
  );
}

export function Complaint({ task: { complaint } }: { task: Task }) {
  return complaint === undefined ? null : (
    <p class="complaint" role="alert">
      {complaint}
    </p>
  );
}

interface ComplaintsProps {
  task: Task;
  /** The fields that show their own errors. */
  shown?: readonly string[];
}

/** Everything that is wrong beside the fields that say so themselves. */
export function Complaints({ task, shown = [] }: ComplaintsProps) {
  return (
    <>
      <Complaint task={task} />
      {task.errorsBeside(shown).map((error) => (
        <p key={error} class="complaint" role="alert">
          {error}
        </p>
      ))}
    </>
  );
}
