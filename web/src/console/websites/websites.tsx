import { useRef, useState } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import { urlOf } from '../../shared/api';
import { dayText } from '../../shared/format';
import icon from '../../shared/icon.svg';
import { Pager } from '../../shared/pager';
import { Trouble } from '../../shared/notices';
import { texts } from '../../shared/texts';
import { type Answer, useAnswer } from '../../shared/use-answer';
import { API, change, type PageOf, type Session, type Website } from '../client';
import { ONLY } from '../only';
import { Complaint } from '../field';
import { Spark } from './spark';
import { useTask } from '../use-task';
import { useTitle } from '../use-title';
import { askedIn, Tools } from './websites-tools';

const words = texts.console.websites;
/** A shorter list needs no tools. */
const MANY = 5;

interface Props {
  session: Session;
  address: URLSearchParams;
  mayChange: boolean;
}

export function Websites({ session, address, mayChange }: Props) {
  useTitle();
  const requested = askedIn(address);
  const [turn, setTurn] = useState(0);
  const answer = useAnswer<PageOf<Website>>(urlOf(`${API}/websites`, requested.parameters), turn);
  const { areMany, areNone } = useNumber(answer, requested.isFiltered);
  const mayAdd = mayChange && !session.key.websites;
  return (
    <main>
      <div class="title-row">
        <h1>{words.title}</h1>
        {mayAdd && !areNone && <Add />}
      </div>
      {areMany && <Tools address={address} {...requested} />}
      {answer.failure && <Trouble failure={answer.failure} retry={answer.retry} />}
      {areNone && <First mayAdd={mayAdd} />}
      {answer.data && !areNone && (
        <List {...{ session, mayChange }} websites={answer.data.data} onChanged={() => setTurn(turn + 1)} />
      )}
      {answer.data && answer.data.meta.last_page > 1 && <Pager {...answer.data.meta} />}
    </main>
  );
}

/** Ignores answers during a search, which do not count all websites. */
function useNumber({ data, isLoading }: Answer<PageOf<Website>>, isFiltered: boolean) {
  const areMany = useRef(isFiltered);
  const total = isLoading || isFiltered ? undefined : data?.meta.total;
  if (total !== undefined) areMany.current = total >= MANY;
  return { areMany: areMany.current, areNone: total === 0 };
}

function Add() {
  return (
    <a class="primary" {...linkTo({ ...ONLY, view: 'new' })}>
      {words.add}
    </a>
  );
}

function First({ mayAdd }: { mayAdd: boolean }) {
  return (
    <section class="card first">
      <img src={icon} alt="" width="48" height="48" />
      <h2>{mayAdd ? words.first : words.none}</h2>
      {mayAdd && <p class="quiet">{words.firstText}</p>}
      {mayAdd && <Add />}
    </section>
  );
}

/** Visitors of the last days. */
interface Recent {
  website_id: number;
  visitors: number[];
}

interface ListProps {
  session: Session;
  mayChange: boolean;
  websites: Website[];
  onChanged: () => void;
}

function List({ session, mayChange, websites, onChanged }: ListProps) {
  const task = useTask();
  const ids = websites.map(({ id }) => id).join();
  const recent = useAnswer<{ data: Recent[] }>(
    ids === '' ? undefined : urlOf(`${API}/recent`, { websites: ids }),
  );
  const daysOf = new Map(recent.data?.data.map((one) => [one.website_id, one.visitors]));
  const mark = ({ id, favorited_at: since }: Website) =>
    task.run(async () => {
      const now = new Date().toISOString().slice(0, 19);
      await change(session, 'PATCH', `websites/${id}`, { favorited_at: since === null ? now : null });
      onChanged();
    });
  if (websites.length === 0) return <p class="card nothing quiet">{texts.more.nothing}</p>;
  return (
    <>
      <Complaint task={task} />
      <ul class="card websites">
        {websites.map((website) => (
          <li key={website.id}>
            <button
              class={`star ${website.favorited_at === null ? '' : 'on'}`}
              disabled={!mayChange}
              aria-pressed={website.favorited_at !== null}
              aria-label={words.favorite(website.domain)}
              onClick={() => mark(website)}
            >
              {website.favorited_at === null ? '☆' : '★'}
            </button>
            <a {...linkTo({ ...ONLY, website: String(website.id) })} class="domain">
              {website.domain}
            </a>
            <Spark days={daysOf.get(website.id)} domain={website.domain} />
            <span class="badge">{texts.console.privacies[website.privacy]}</span>
            <span class="quiet since">{words.since(dayText(website.created_at.slice(0, 10)))}</span>
            <a class="options" {...linkTo({ ...ONLY, website: String(website.id), view: 'options' })}>
              {texts.console.options.title}
              <span class="hidden"> ({website.domain})</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
