import { useState } from 'preact/hooks';
import { numberText } from '../../shared/format';
import { readable } from '../../shared/language/value-labels';
import { Trouble } from '../../shared/notices';
import { useAnswer } from '../../shared/use-answer';
import { API, change, type Session } from '../client';
import { Complaints } from '../forms/field';
import { useTask } from '../forms/use-task';
import { showToast } from '../frame/toast';
import { timeText } from '../time-text';
import { type Attempt, type Delivery, type DeliveryDetails, STATES } from './webhook';
import { words } from './words';

const { deliveries } = words;
const TONES = { waiting: 'quiet', sending: 'quiet', delivered: 'better', failed: 'worse' };

interface Props {
  session: Session;
  delivery: Delivery;
  /** Of the delivery in the API. */
  path: string;
  timezone: string;
  onSent: () => void;
}

/** A delivery in one line, and all that is known of it once it is opened. */
export function DeliveryRow(props: Props) {
  const { delivery, timezone } = props;
  const [isOpen, setOpen] = useState(false);
  const { event, state, attempts, created_at: at, last_error: error } = delivery;
  return (
    <details class="delivery" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>{words.eventNames[event]}</b> <span class={TONES[state]}>{deliveries.states[state]}</span>{' '}
        <span>{timeText(at, timezone)}</span> {attempts > 0 && <span>{deliveries.attempts(attempts)}</span>}{' '}
        {error !== null && state !== 'delivered' && <bdi>{deliveries.reason(readable(error))}</bdi>}
      </summary>
      {isOpen && <Details {...props} />}
    </details>
  );
}

/** Asked for again once its state is another. */
function Details({ session, delivery, path, timezone, onSent }: Props) {
  const task = useTask();
  const { state, attempts, next_attempt_at: next } = delivery;
  const turn = STATES.length * attempts + STATES.indexOf(state);
  const { data, failure, retry } = useAnswer<{ data: DeliveryDetails }>(`${API}/${path}`, turn);
  const send = () =>
    task.run(async () => {
      await change(session, 'POST', `${path}/send`);
      showToast(deliveries.sent);
      onSent();
    });
  if (failure) return <Trouble failure={failure} retry={retry} />;
  if (!data) return null;
  const { body, answers } = data.data;
  return (
    <div class="delivery-details">
      {state === 'waiting' && next !== null && <p>{deliveries.next(timeText(next, timezone))}</p>}
      <h3>{deliveries.answers}</h3>
      {answers.length === 0 && <p class="quiet">{deliveries.noAnswers}</p>}
      <ol>
        {answers.map((attempt) => (
          <Answer key={attempt.at} {...{ attempt, timezone }} />
        ))}
      </ol>
      <h3>{deliveries.body}</h3>
      <pre tabIndex={0} role="region" aria-label={deliveries.body}>
        {formatted(body)}
      </pre>
      <Complaints task={task} />
      {(state === 'delivered' || state === 'failed') && (
        <div>
          <button class="plain" onClick={send}>
            {deliveries.again}
          </button>
        </div>
      )}
    </div>
  );
}

function Answer({ attempt, timezone }: { attempt: Attempt; timezone: string }) {
  const { at, status, duration_ms: took, answer, error } = attempt;
  const parts = [
    timeText(at, timezone),
    status !== null && deliveries.status(String(status)),
    deliveries.took(numberText(took)),
    error !== null && deliveries.reason(readable(error)),
  ];
  return (
    <li>
      <p>{parts.filter(Boolean).join(', ')}</p>
      {answer !== null && answer !== '' && <code>{readable(answer)}</code>}
    </li>
  );
}

/** With a field on each line. What is sent has none. */
function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
