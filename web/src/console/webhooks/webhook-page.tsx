import { useState } from 'preact/hooks';
import { go, linkTo } from '../../shared/address';
import { dayText } from '../../shared/format';
import { readable } from '../../shared/language/value-labels';
import { Trouble } from '../../shared/notices';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { API, change, type Session } from '../client';
import { Dialog, DialogForm } from '../forms/dialog';
import { Complaint } from '../forms/field';
import { ShownOnce } from '../forms/shown-once';
import { useTask } from '../forms/use-task';
import { showToast } from '../frame/toast';
import { ONLY } from '../only';
import { timeText } from '../time-text';
import { useTitle } from '../use-title';
import { Deliveries } from './deliveries';
import { pauseOf, type Secret, type Webhook } from './webhook';
import { WebhookDialog } from './webhook-dialog';
import { WebhookRemoval } from './webhooks-table';
import { words } from './words';

const ALL = { ...ONLY, view: 'webhooks' };
const ACTS = ['edit', 'secret', 'remove'] as const;

interface Props {
  session: Session;
  address: URLSearchParams;
  timezone: string;
  id: string;
}

/** A webhook with its deliveries. */
export function WebhookPage({ session, address, timezone, id }: Props) {
  const [turn, setTurn] = useState(0);
  const { data, failure, retry } = useAnswer<{ data: Webhook }>(`${API}/webhooks/${id}`, turn);
  const webhook = data?.data;
  const isGone = failure?.kind === 'gone';
  useTitle(texts.console.webhooks.title);
  return (
    <main>
      <a class="back" {...linkTo(ALL)}>
        {words.back}
      </a>
      {failure && !isGone && <Trouble failure={failure} retry={retry} />}
      {isGone && (
        <div class="notice" role="alert">
          <h1>{words.gone}</h1>
        </div>
      )}
      {webhook && !isGone && (
        <Known {...{ session, address, timezone, webhook }} onChanged={() => setTurn(turn + 1)} />
      )}
    </main>
  );
}

interface KnownProps extends Omit<Props, 'id'> {
  webhook: Webhook;
  onChanged: () => void;
}

function Known({ session, address, timezone, webhook, onChanged }: KnownProps) {
  const [act, setAct] = useState<(typeof ACTS)[number]>();
  const [tests, setTests] = useState(0);
  const task = useTask();
  const dialog = { session, webhook, onClosed: () => setAct(undefined) };
  const test = () =>
    task.run(async () => {
      await change(session, 'POST', `webhooks/${webhook.id}/test`);
      showToast(words.tested);
      setTests(tests + 1);
    });
  return (
    <>
      <div class="title-row webhook-title">
        <h1>
          <bdi>{readable(webhook.url)}</bdi>
        </h1>
        <div class="buttons">
          {ACTS.map((one) => (
            <button key={one} class="plain" onClick={() => setAct(one)}>
              {words[one]}
            </button>
          ))}
          <button class="primary" onClick={test}>
            {words.test}
          </button>
        </div>
      </div>
      <Complaint task={task} />
      <Facts {...{ webhook, timezone }} />
      <Deliveries {...{ session, address, timezone }} webhookId={webhook.id} tests={tests} />
      {act === 'edit' && <WebhookDialog {...dialog} onSaved={onChanged} />}
      {act === 'secret' && <SecretDialog {...dialog} />}
      {act === 'remove' && <WebhookRemoval {...dialog} onRemoved={() => go(ALL, 'replace')} />}
    </>
  );
}

function Facts({ webhook, timezone }: { webhook: Webhook; timezone: string }) {
  const { id, events, enabled, created_at: since } = webhook;
  const until = pauseOf(webhook);
  const facts = [
    [words.columns.events, events.map((event) => words.eventNames[event]).join(', ')],
    [
      words.columns.enabled,
      until === undefined ? words.states[enabled] : words.paused(timeText(until, timezone)),
    ],
    [words.created, dayText(since.slice(0, 10))],
    ['ID', String(id)],
  ] as const;
  return (
    <dl class="card facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="quiet">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SecretProps {
  session: Session;
  webhook: Webhook;
  onClosed: () => void;
}

/** Makes a new secret once that is confirmed, and shows it. */
function SecretDialog({ session, webhook, onClosed }: SecretProps) {
  const task = useTask();
  const [secret, setSecret] = useState<string>();
  const { title, text, confirm } = words.renewal;
  const renew = () =>
    task.run(async () =>
      setSecret((await change<Secret>(session, 'POST', `webhooks/${webhook.id}/secret`)).secret),
    );
  const isMade = secret !== undefined;
  return (
    <Dialog title={isMade ? words.secretTitle : title} isKept={isMade} onClosed={onClosed}>
      {(close) =>
        isMade ? (
          <ShownOnce text={secret} note={words.once} onDone={close} />
        ) : (
          <DialogForm {...{ task, close }} button={confirm} isDangerous onSubmit={renew}>
            <p>{text}</p>
          </DialogForm>
        )
      }
    </Dialog>
  );
}
