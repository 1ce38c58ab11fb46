import { shownDomain } from '../../../../engine/ground/shown-domain';
import { useState } from 'preact/hooks';
import { dayText } from '../../shared/format';
import { texts } from '../../shared/texts';
import { change, type Key, type Session, type Website } from '../client';
import { Act } from '../forms/act';
import '../forms/cards-table.css';
import { Confirm } from '../forms/confirm';
import { useTask } from '../forms/use-task';

const words = texts.console.keys;
const { columns } = words;

interface Props {
  session: Session;
  keys: Key[];
  websites: Website[];
  onChanged: () => void;
}

/** A table; on a phone, each row is a card. */
export function KeysTable({ session, keys, websites, onChanged }: Props) {
  return (
    <div class="card cards-table keys">
      <table>
        <thead>
          <tr>
            {Object.entries(columns).map(([name, text]) => (
              <th key={name} scope="col">
                {text}
              </th>
            ))}
            <th scope="col">
              <span class="hidden">{words.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <Row key={key.id} {...{ session, websites, onChanged }} shown={key} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps extends Omit<Props, 'keys'> {
  shown: Key;
}

function Row({ session, shown, websites, onChanged }: RowProps) {
  const { id, name, prefix, scope, websites: only, expires_at: end, last_used_at: used } = shown;
  const isOwn = id === session.key.id;
  return (
    <tr>
      <th scope="row">
        <bdi class={name ? '' : 'quiet'}>{name || words.unnamed}</bdi>
        {isOwn && <span class="badge">{words.own}</span>}
      </th>
      <td data-label={columns.key}>
        <code>{prefix}…</code>
      </td>
      <td data-label={columns.scope}>{words.scopes[scope]}</td>
      <td data-label={columns.websites}>
        <Limits only={only} websites={websites} />
      </td>
      <td data-label={columns.used}>{used === null ? words.never : dayText(used.slice(0, 10))}</td>
      <td data-label={columns.expires}>
        <End end={end} />
      </td>
      <td class="of-acts">
        <Removal {...{ session, shown, isOwn, onChanged }} />
      </td>
    </tr>
  );
}

/** The domains of websites that are among the first; others are only counted. */
function Limits({ only, websites }: { only: number[] | null; websites: Website[] }) {
  if (only === null) return <>{words.all}</>;
  const domains = websites.filter(({ id }) => only.includes(id)).map(({ domain }) => shownDomain(domain));
  const isShort = only.length === 1 && domains.length === 1;
  return <span title={domains.join('\n')}>{isShort ? domains[0] : words.some(only.length)}</span>;
}

function End({ end }: { end: string | null }) {
  if (end === null) return <>{words.never}</>;
  const day = dayText(end.slice(0, 10));
  return Date.parse(end) <= Date.now() ? <span class="worse">{words.expired(day)}</span> : <>{day}</>;
}

type RemovalProps = Pick<RowProps, 'session' | 'shown' | 'onChanged'> & { isOwn: boolean };

function Removal({ session, shown: { id, name, prefix }, isOwn, onChanged }: RemovalProps) {
  const [isAsking, setAsking] = useState(false);
  const task = useTask();
  const remove = () =>
    task.run(async () => {
      await change(session, 'DELETE', `keys/${id}`);
      if (isOwn) location.reload();
      else onChanged();
    });
  return (
    <>
      <Act kind="remove" label={words.remove(name || prefix)} onClick={() => setAsking(true)} />
      {isAsking && (
        <Confirm
          title={words.removal.title(name || prefix)}
          text={isOwn ? words.removal.own : words.removal.text}
          button={words.removal.confirm}
          task={task}
          onConfirmed={remove}
          onClosed={() => setAsking(false)}
        />
      )}
    </>
  );
}
