import { useState } from 'preact/hooks';
import { urlOf } from '../../shared/api';
import { Trouble } from '../../shared/notices';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { API, type PageOf, type Session } from '../client';
import { useTitle } from '../use-title';
import type { Webhook } from './webhook';
import { WebhookDialog } from './webhook-dialog';
import { WebhookPage } from './webhook-page';
import './webhooks.css';
import { WebhooksTable } from './webhooks-table';
import { words } from './words';

/** The shortest page that has all of them: a user has at most 20. */
const PER_PAGE = 25;

interface Props {
  session: Session;
  address: URLSearchParams;
  timezone: string;
}

/** The webhooks of a user, or the one of the address with its deliveries. */
export function Webhooks({ session, address, timezone }: Props) {
  const id = address.get('webhook');
  if (id !== null && /^\d{1,16}$/.test(id))
    return <WebhookPage key={id} {...{ session, address, timezone, id }} />;
  return <All {...{ session, timezone }} />;
}

function All({ session, timezone }: Omit<Props, 'address'>) {
  useTitle(texts.console.webhooks.title);
  const [turn, setTurn] = useState(0);
  const [isAdding, setAdding] = useState(false);
  const { data, failure, retry } = useAnswer<PageOf<Webhook>>(
    urlOf(`${API}/webhooks`, { per_page: PER_PAGE }),
    turn,
  );
  const update = () => setTurn(turn + 1);
  const webhooks = data?.data;
  return (
    <main>
      <div class="title-row">
        <div>
          <h1>{texts.console.webhooks.title}</h1>
          <p class="quiet">{words.text}</p>
        </div>
        <button class="primary" onClick={() => setAdding(true)}>
          {words.new}
        </button>
      </div>
      {failure && <Trouble failure={failure} retry={retry} />}
      {webhooks?.length === 0 && <p class="card no-match quiet">{words.none}</p>}
      {webhooks && webhooks.length > 0 && (
        <WebhooksTable {...{ session, webhooks, timezone }} onChanged={update} />
      )}
      {isAdding && (
        <WebhookDialog
          {...{ session }}
          webhook={undefined}
          onSaved={update}
          onClosed={() => setAdding(false)}
        />
      )}
    </main>
  );
}
