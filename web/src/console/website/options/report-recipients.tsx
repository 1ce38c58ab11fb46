import { useState } from 'preact/hooks';
import type { Recipient } from '../../../goals/definitions';
import { Trouble } from '../../../shared/notices';
import { texts } from '../../../shared/texts';
import { useAnswer } from '../../../shared/use-answer';
import { API, change } from '../../client';
import { Dialog, DialogForm } from '../../forms/dialog';
import { Complaint } from '../../forms/field';
import { useTask } from '../../forms/use-task';
import { showToast } from '../../frame/toast';
import './alerts/alerts.css';
import { RECIPIENT_FIELDS, RecipientList, recipientsIn, RecipientsField } from './alerts/recipients-field';
import type { SectionProps } from './section-form';

const { reports: words, save, saved } = texts.console.options;

interface Props extends SectionProps {
  /** Tells whether the service can send reports. */
  canSend: boolean;
}

/** The addresses besides the owner's that get reports, a preview of a report, and a button that sends it. */
export function ReportRecipients(props: Props) {
  const { website, mayChange } = props;
  const [turn, setTurn] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const path = `${API}/websites/${website.id}/report-recipients`;
  const answer = useAnswer<{ data: { recipients: Recipient[] } }>(path, turn);
  const recipients = answer.data?.data.recipients;
  return (
    <section class="card section report-recipients" aria-labelledby="report-recipients-title">
      <h2 id="report-recipients-title">{words.recipients}</h2>
      {answer.failure && <Trouble failure={answer.failure} retry={answer.retry} />}
      {recipients?.length === 0 && <p class="quiet">{words.noRecipients}</p>}
      {recipients && <RecipientList recipients={recipients} />}
      {recipients && mayChange && (
        <div class="saving">
          <button type="button" class="plain" onClick={() => setOpen(true)}>
            {words.editRecipients}
          </button>
        </div>
      )}
      <SendNow {...props} />
      {recipients && isOpen && (
        <RecipientsDialog
          {...props}
          recipients={recipients}
          onSaved={() => setTurn(turn + 1)}
          onClosed={() => setOpen(false)}
        />
      )}
    </section>
  );
}

interface DialogProps extends Props {
  recipients: Recipient[];
  onSaved: () => void;
  onClosed: () => void;
}

function RecipientsDialog({ session, website, recipients, onSaved, onClosed }: DialogProps) {
  const task = useTask();
  const submit = (form: FormData, close: () => void) =>
    task.run(async () => {
      const sent = { recipients: recipientsIn(form) };
      await change(session, 'PUT', `websites/${website.id}/report-recipients`, sent);
      showToast(saved);
      close();
      onSaved();
    });
  return (
    <Dialog title={words.recipients} kind="definition" onClosed={onClosed}>
      {(close) => (
        <DialogForm
          {...{ task, close }}
          shown={RECIPIENT_FIELDS}
          button={save}
          onSubmit={(form) => submit(form, close)}
        >
          <RecipientsField recipients={recipients} task={task} />
        </DialogForm>
      )}
    </Dialog>
  );
}

function SendNow({ session, website, mayChange, canSend }: Props) {
  const task = useTask();
  const send = () =>
    task.run(async () => {
      const path = `websites/${website.id}/report/send`;
      const { recipients } = await change<{ recipients: string[] }>(session, 'POST', path, {});
      showToast(words.sentTo(recipients.join(', ')));
    });
  return (
    <>
      <h3>{words.lastReport}</h3>
      <p class="quiet">{words.sendNowHint}</p>
      <div class="saving">
        <a href={`${API}/websites/${website.id}/report`} target="_blank" rel="noreferrer">
          {words.preview}
        </a>
        {mayChange && (
          <button type="button" class="plain" disabled={!canSend || task.isRunning} onClick={send}>
            {words.sendNow}
          </button>
        )}
      </div>
      <Complaint task={task} />
    </>
  );
}
