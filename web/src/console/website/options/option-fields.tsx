import { texts } from '../../../shared/texts';
import type { Website } from '../../client';
import { Field } from '../../forms/field';
import type { Task } from '../../forms/use-task';

const words = texts.console.options;

interface ListProps {
  name: 'exclude_params' | 'exclude_ips' | 'allowed_origins';
  website: Website;
  task: Task;
}

/** A list with one entry a line. */
export function ListField({ name, website, task }: ListProps) {
  const { label, hint } = words[name];
  return (
    <Field name={name} label={label} hint={hint} task={task}>
      {(attributes) => (
        <textarea {...attributes} rows={4} spellcheck={false} defaultValue={website[name] ?? ''} />
      )}
    </Field>
  );
}

interface SwitchProps {
  name: string;
  label: string;
  hint?: string;
  isOn: boolean;
  isDisabled?: boolean;
  task?: Task;
  onChange?: (isOn: boolean) => void;
}

/** Something that is on or off. */
export function Switch({ name, label, hint, isOn, isDisabled = false, task, onChange }: SwitchProps) {
  const hintId = hint && `${name}-hint`;
  return (
    <div class="switch">
      <label>
        <input
          type="checkbox"
          role="switch"
          name={name}
          defaultChecked={isOn}
          disabled={isDisabled}
          aria-describedby={hintId}
          onChange={({ currentTarget }) => onChange?.(currentTarget.checked)}
        />
        <span class="switch-track" aria-hidden="true" />
        <span>{label}</span>
      </label>
      {hint && (
        <p class="quiet hint" id={hintId}>
          {hint}
        </p>
      )}
      {task?.errorsOf(name).map((error) => (
        <p class="complaint" role="alert" key={error}>
          {texts.console.wrong(label, error)}
        </p>
      ))}
    </div>
  );
}
