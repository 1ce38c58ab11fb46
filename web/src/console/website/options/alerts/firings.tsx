import { useState } from 'preact/hooks';
import { urlOf } from '../../../../shared/api';
import { numberText } from '../../../../shared/format';
import { Trouble } from '../../../../shared/notices';
import { useAnswer } from '../../../../shared/use-answer';
import { API, type PageOf } from '../../../client';
import { timeText } from '../../../time-text';
import { words } from './words';

const { firings } = words;
const SHOWN = 10;

interface Firing {
  id: number;
  at: string;
  value: number;
  usual: number | null;
  threshold: number | null;
  mails: number;
  webhooks: number;
}

interface Props {
  /** The path of the alert. */
  path: string;
  timezone: string;
}

/** The last firings of an alert, which are asked for when they are opened. */
export function Firings(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{firings.title}</summary>
      {isOpen && <List {...props} />}
    </details>
  );
}

function List({ path, timezone }: Props) {
  const url = urlOf(`${API}/${path}/firings`, { per_page: SHOWN });
  const { data, failure, retry } = useAnswer<PageOf<Firing>>(url);
  if (failure) return <Trouble failure={failure} retry={retry} />;
  if (!data) return null;
  if (data.data.length === 0) return <p class="quiet">{firings.none}</p>;
  return (
    <ol class="firings">
      {data.data.map((firing) => (
        <li key={firing.id}>
          <b>{timeText(firing.at, timezone)}</b> <span class="quiet">{textOf(firing)}</span>
        </li>
      ))}
    </ol>
  );
}

const textOf = ({ value, usual, threshold, mails, webhooks }: Firing) =>
  [
    firings.value(numberText(value)),
    usual !== null && firings.usual(numberText(usual)),
    usual === null && threshold !== null && firings.limit(numberText(threshold)),
    firings.sent(numberText(mails), numberText(webhooks)),
  ]
    .filter(Boolean)
    .join(', ');
