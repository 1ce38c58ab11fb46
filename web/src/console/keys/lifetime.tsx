import { useState } from 'preact/hooks';
import { texts } from '../../shared/texts';
import { Field } from '../forms/field';
import type { Task } from '../forms/use-task';
import { LIFETIMES } from './new-key-fields';

const words = texts.console.keys;

/** When a new key stops working. */
export function Lifetime({ task }: { task: Task }) {
  const [lifetime, setLifetime] = useState<string>('never');
  return (
    <>
      <div class="field">
        <label for="lifetime">{words.expires}</label>
        <select
          id="lifetime"
          name="lifetime"
          value={lifetime}
          onChange={({ currentTarget }) => setLifetime(currentTarget.value)}
        >
          {LIFETIMES.map((one) => (
            <option key={one} value={one}>
              {words.lifetimes[one]}
            </option>
          ))}
        </select>
      </div>
      {lifetime === 'day' && (
        <Field name="expires_at" label={words.day} task={task}>
          {(attributes) => <input {...attributes} type="date" required max="9999-12-31" />}
        </Field>
      )}
    </>
  );
}
