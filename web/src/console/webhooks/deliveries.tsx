import { useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { urlOf } from '../../shared/api';
import { pageIn, Pager } from '../../shared/controls/pager';
import { Trouble } from '../../shared/notices';
import { useAnswer } from '../../shared/use-answer';
import { Choice } from '../../statistics/filters/choices';
import { API, type PageOf, type Session } from '../client';
import { DeliveryRow } from './delivery-row';
import { useLooking } from './use-looking';
import { type Delivery, STATES } from './webhook';
import { words } from './words';

const { deliveries } = words;
const PER_PAGE = 10;
const CHOICES = ['', ...STATES] as const;

interface Props {
  session: Session;
  address: URLSearchParams;
  timezone: string;
  webhookId: number;
  /** How many tests were sent here. */
  tests: number;
}

/** What was sent to a webhook, the latest first. */
export function Deliveries({ session, address, timezone, webhookId, tests }: Props) {
  const [turn, setTurn] = useState(0);
  const state = CHOICES.find((one) => one === address.get('state')) ?? '';
  const page = pageIn(address);
  const path = `webhooks/${webhookId}/deliveries`;
  const asked = urlOf(`${API}/${path}`, { per_page: PER_PAGE, page, state });
  const { data, isOther, failure, retry } = useAnswer<PageOf<Delivery>>(asked, turn + tests);
  const update = () => setTurn((last) => last + 1);
  useLooking(failure || isOther ? undefined : data?.data, update);
  return (
    <section class="card section deliveries" aria-labelledby="deliveries-title" aria-busy={isOther}>
      <div class="deliveries-head">
        <h2 id="deliveries-title">{deliveries.title}</h2>
        <Choice
          label={deliveries.state}
          of={CHOICES}
          wordOf={(one) => (one === '' ? deliveries.all : deliveries.states[one])}
          chosen={state}
          onChosen={(one) => go({ state: one, at: undefined }, 'replace')}
        />
      </div>
      {failure && <Trouble failure={failure} retry={retry} />}
      {data?.data.length === 0 && <p class="quiet">{deliveries.none}</p>}
      {data && data.data.length > 0 && (
        <ul>
          {data.data.map((delivery) => (
            <li key={delivery.id}>
              <DeliveryRow
                {...{ session, delivery, timezone }}
                path={`${path}/${delivery.id}`}
                onSent={update}
              />
            </li>
          ))}
        </ul>
      )}
      {data && data.meta.last_page > 1 && <Pager {...data.meta} />}
    </section>
  );
}
