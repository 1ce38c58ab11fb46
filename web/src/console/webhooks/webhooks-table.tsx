import { useState } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import { urlOf } from '../../shared/api';
import { readable } from '../../shared/language/value-labels';
import { useAnswer } from '../../shared/use-answer';
import { API, change, type PageOf, type Session } from '../client';
import { Act } from '../forms/act';
import '../forms/cards-table.css';
import { RemovalDialog } from '../forms/removal-dialog';
import { ONLY } from '../only';
import { timeText } from '../time-text';
import { useLooking } from './use-looking';
import { type Delivery, pauseOf, type Webhook } from './webhook';
import { WebhookDialog } from './webhook-dialog';
import { words } from './words';

const { columns } = words;
/** The shortest page of a list. */
const PER_PAGE = 10;

interface Props {
  session: Session;
  webhooks: Webhook[];
  timezone: string;
  onChanged: () => void;
}

/** A table; on a phone, each row is a card. */
export function WebhooksTable({ session, webhooks, timezone, onChanged }: Props) {
  const [opened, setOpened] = useState<Opened>();
  const dialog = { session, onClosed: () => setOpened(undefined) };
  return (
    <div class="card cards-table webhooks">
      <table>
        <thead>
          <tr>
            {Object.values(columns).map((text) => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
            <th scope="col">
              <span class="hidden">{words.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <Row key={webhook.id} {...{ webhook, timezone }} onOpened={setOpened} />
          ))}
        </tbody>
      </table>
      {opened?.act === 'edit' && <WebhookDialog {...dialog} webhook={opened.webhook} onSaved={onChanged} />}
      {opened?.act === 'remove' && (
        <WebhookRemoval {...dialog} webhook={opened.webhook} onRemoved={onChanged} />
      )}
    </div>
  );
}

interface Opened {
  act: 'edit' | 'remove';
  webhook: Webhook;
}

interface RowProps {
  webhook: Webhook;
  timezone: string;
  onOpened: (opened: Opened) => void;
}

function Row({ webhook, timezone, onOpened }: RowProps) {
  const { id, events, enabled } = webhook;
  const until = pauseOf(webhook);
  const url = readable(webhook.url);
  return (
    <tr>
      <th scope="row">
        <a {...linkTo({ ...ONLY, view: 'webhooks', webhook: String(id) })} title={url}>
          <bdi>{url}</bdi>
        </a>
      </th>
      <td data-label={columns.events}>{events.map((event) => words.eventNames[event]).join(', ')}</td>
      <td data-label={columns.enabled}>
        {until === undefined ? words.states[enabled] : words.paused(timeText(until, timezone))}
      </td>
      <td data-label={columns.last}>
        <Last {...{ id, timezone }} />
      </td>
      <td class="of-acts">
        <Act kind="edit" label={words.editOne(url)} onClick={() => onOpened({ act: 'edit', webhook })} />
        <Act
          kind="remove"
          label={words.removeOne(url)}
          onClick={() => onOpened({ act: 'remove', webhook })}
        />
      </td>
    </tr>
  );
}

/** Its height is that of a text from the start. It is asked for again while the delivery is sent. */
function Last({ id, timezone }: { id: number; timezone: string }) {
  const [turn, setTurn] = useState(0);
  const { data, failure } = useAnswer<PageOf<Delivery>>(
    urlOf(`${API}/webhooks/${id}/deliveries`, { per_page: PER_PAGE }),
    turn,
  );
  useLooking(failure ? undefined : data?.data.slice(0, 1), () => setTurn((before) => before + 1));
  const last = data?.data[0];
  if (!last) return <span class="quiet">{data ? words.deliveries.never : '…'}</span>;
  const { state, attempts, last_error: error } = last;
  const isRetried = state === 'waiting' && attempts > 0;
  return (
    <span
      class={state === 'failed' || isRetried ? 'worse' : ''}
      title={[timeText(last.created_at, timezone), error && words.deliveries.reason(readable(error))]
        .filter(Boolean)
        .join(', ')}
    >
      {isRetried ? words.deliveries.retried : words.deliveries.states[state]}
    </span>
  );
}

interface RemovalProps {
  session: Session;
  webhook: Webhook;
  onRemoved: () => void;
  onClosed: () => void;
}

export function WebhookRemoval({ session, webhook, onRemoved, onClosed }: RemovalProps) {
  return (
    <RemovalDialog
      words={words.removal}
      name={readable(webhook.url)}
      deleted={words.deleted}
      remove={() => change(session, 'DELETE', `webhooks/${webhook.id}`)}
      {...{ onRemoved, onClosed }}
    />
  );
}
