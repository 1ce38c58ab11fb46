import { dayText } from '../../../shared/format';
import { later } from '../../../shared/later';
import { Trouble } from '../../../shared/notices';
import { texts } from '../../../shared/texts';
import { useAnswer } from '../../../shared/use-answer';
import { API, type ReportStatus } from '../../client';
import { Switch } from './option-fields';
import { SectionForm, type SectionProps } from './section-form';

const words = texts.console.options.reports;

const ReportRecipients = later(async () => (await import('./report-recipients')).ReportRecipients);
const Alerts = later(async () => (await import('./alerts/alerts')).Alerts);

/** Reports by email, what is known of them, and alerts below. */
export function Reports(props: SectionProps) {
  const answer = useAnswer<{ data: ReportStatus }>(`${API}/reports?website=${props.website.id}`);
  const status = answer.data?.data;
  if (!status && !answer.failure) return null;
  const hasMail = !['no_mail_server', 'no_sender'].includes(status?.off ?? '');
  return (
    <>
      {answer.failure && <Trouble failure={answer.failure} retry={answer.retry} />}
      {status && !answer.failure && <ReportsForm {...props} status={status} />}
      {status && <ReportRecipients {...props} canSend={status.off === null} />}
      <Alerts {...props} hasMail={hasMail} />
    </>
  );
}

function ReportsForm({ status, ...props }: SectionProps & { status: ReportStatus }) {
  const { website, mayChange } = props;
  const isOn = website.email === 1;
  return (
    <SectionForm
      {...props}
      title={words.title}
      mayChange={mayChange && status.off === null}
      fieldsIn={(form) => ({ email: form.has('email') ? 1 : 0 })}
    >
      {(task) => (
        <>
          {status.off && (
            <p class="unavailable">
              {words.off[status.off]} <a href="docs/guide/reports#switch-them-on">{words.setUp}</a>
            </p>
          )}
          <Switch
            name="email"
            label={words.label}
            isOn={isOn}
            task={task}
            {...(status.next && { hint: words.every[status.next.every] })}
          />
          <Facts status={status} isOn={isOn} />
        </>
      )}
    </SectionForm>
  );
}

function Facts({ status, isOn }: { status: ReportStatus; isOn: boolean }) {
  const { recipient, next, last } = status;
  return (
    <dl class="facts">
      <div>
        <dt class="quiet">{words.to}</dt>
        <dd>{recipient}</dd>
      </div>
      {next && (
        <div>
          <dt class="quiet">{words.next}</dt>
          <dd>{isOn ? dayText(next.on) : words.nextIf(dayText(next.on))}</dd>
        </div>
      )}
      <div>
        <dt class="quiet">{words.last}</dt>
        <dd>{last ? deliveryText(last) : words.none}</dd>
      </div>
    </dl>
  );
}

function deliveryText({
  state,
  recipient,
  reason,
  changed_at: at,
}: NonNullable<ReportStatus['last']>): string {
  const day = dayText(at.slice(0, 10));
  const { sent, failed, unknown, waiting } = words.states;
  if (state === 'sent') return sent(day, recipient ?? '');
  if (state === 'failed') return failed(day, reason ?? '');
  return state === 'unknown' ? unknown(day) : waiting();
}
