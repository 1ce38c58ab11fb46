import type { Recipient } from '../../../../goals/definitions';
import { texts } from '../../../../shared/texts';
import { Field } from '../../../forms/field';
import type { Task } from '../../../forms/use-task';
import { words } from './words';

const NAME = 'recipients';
const MOST = 10;
const ONES = Array.from({ length: MOST }, (_, index) => `${NAME}.${index}`);
/** The list and its addresses, as errors name them. */
export const RECIPIENT_FIELDS = [NAME, ...ONES];
const { fields, states } = words;

interface Props {
  recipients: Recipient[];
  task: Task;
}

/** Addresses beside the owner's, one a line, and what became of those that are stored. */
export function RecipientsField({ recipients, task }: Props) {
  return (
    <>
      <Field name={NAME} label={fields.recipients} hint={fields.recipientsHint} task={task}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            autocapitalize="none"
            spellcheck={false}
            defaultValue={recipients.map(({ address }) => address).join('\n')}
          />
        )}
      </Field>
      {ONES.flatMap((one, index) =>
        task.errorsOf(one).map((error) => (
          <p key={one} class="complaint" role="alert">
            {texts.console.wrong(`${fields.recipients} ${index + 1}`, error)}
          </p>
        )),
      )}
      <RecipientList recipients={recipients} />
    </>
  );
}

/** What became of the addresses that are stored. */
export function RecipientList({ recipients }: Pick<Props, 'recipients'>) {
  if (recipients.length === 0) return null;
  return (
    <ul class="recipients">
      {recipients.map(({ address, state }) => (
        <li key={address}>
          <bdi>{address}</bdi> <span class="quiet">{states[state]}</span>
        </li>
      ))}
    </ul>
  );
}

/** Lines may also be separated as lists of addresses are. */
export const recipientsIn = (form: FormData) =>
  (form.get(NAME) as string).split(/[\s,;]+/).filter((address) => address !== '');
