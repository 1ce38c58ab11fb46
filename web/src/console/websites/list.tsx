import { texts } from '../../shared/texts';
import { change, type Session, type Website } from '../client';
import { Complaint } from '../forms/field';
import { useTask } from '../forms/use-task';
import type { Order } from './asked';
import { byVisitors, type Numbers } from './numbers';
import { Row } from './row';

const { columns } = texts.console.websites;

interface Props {
  session: Session;
  mayChange: boolean;
  websites: Website[];
  numbers: Map<number, Numbers>;
  areKnown: boolean;
  order: Order;
  onChanged: () => void;
}

export function List({ session, mayChange, websites, numbers, areKnown, order, onChanged }: Props) {
  const task = useTask();
  const mark = ({ id, favorited_at: since }: Website) =>
    task.run(async () => {
      const now = new Date().toISOString().slice(0, 19);
      await change(session, 'PATCH', `websites/${id}`, { favorited_at: since === null ? now : null });
      onChanged();
    });
  if (websites.length === 0) return <p class="card no-match quiet">{texts.more.nothing}</p>;
  const isWaiting = order === 'visitors' && !areKnown;
  return (
    <>
      <Complaint task={task} />
      <div class="card websites">
        <div class="website-row heads quiet" aria-hidden="true">
          <span class="of-website">{columns.website}</span>
          <span class="of-now">{columns.now}</span>
          <span>{columns.days}</span>
          <span class="of-number">{columns.visitors}</span>
          <span class="of-number">{columns.change}</span>
        </div>
        <ul class={isWaiting ? 'is-waiting' : ''}>
          {(order === 'visitors' ? byVisitors(websites, numbers) : websites).map((website) => (
            <Row
              key={website.id}
              {...{ website, mayChange }}
              numbers={numbers.get(website.id)}
              onMark={() => mark(website)}
            />
          ))}
        </ul>
      </div>
    </>
  );
}
