import { useState } from 'preact/hooks';
import { go, linkTo } from '../address';
import { urlOf } from '../api';
import { dayText } from '../format';
import { Pager } from '../pager';
import { Search } from '../search';
import { Trouble } from '../notices';
import { texts } from '../texts';
import { useAnswer } from '../use-answer';
import { API, change, type PageOf, type Session, type Website } from './client';
import { ONLY } from './console';
import { Complaint } from './field';
import { Spark } from './spark';
import { useTask } from './use-task';

const words = texts.console.websites;
const ORDERS = {
  newest: { sort_by: 'id', sort: 'desc' },
  oldest: { sort_by: 'id', sort: 'asc' },
  domain: { sort_by: 'domain', sort: 'asc' },
} as const;
type Order = keyof typeof ORDERS;

interface Props {
  session: Session;
  address: URLSearchParams;
  mayChange: boolean;
}

export function Websites({ session, address, mayChange }: Props) {
  const order = (Object.keys(ORDERS) as Order[]).find((one) => one === address.get('sort')) ?? 'newest';
  const onlyFavorites = address.get('favorite') === '1';
  const [turn, setTurn] = useState(0);
  const url = urlOf(`${API}/websites`, {
    ...ORDERS[order],
    search: address.get('search') ?? undefined,
    favorite: onlyFavorites ? 1 : undefined,
    per_page: 25,
    page: Math.max(1, Math.floor(Number(address.get('at'))) || 1),
  });
  const answer = useAnswer<PageOf<Website>>(url, turn);
  return (
    <main>
      <div class="title-row">
        <h1>{words.title}</h1>
        {mayChange && !session.key.websites && (
          <a class="primary" {...linkTo({ ...ONLY, view: 'new' })}>
            {words.add}
          </a>
        )}
      </div>
      <div class="tools filters">
        <Search address={address} />
        <button
          class="plain"
          aria-pressed={onlyFavorites}
          onClick={() => go({ favorite: onlyFavorites ? undefined : '1', at: undefined })}
        >
          ★ {words.favorites}
        </button>
        <select
          aria-label={words.order}
          value={order}
          onChange={({ currentTarget: { value } }) =>
            go({ sort: value === 'newest' ? undefined : value, at: undefined })
          }
        >
          {(Object.keys(ORDERS) as Order[]).map((one) => (
            <option key={one} value={one}>
              {words.orders[one]}
            </option>
          ))}
        </select>
      </div>
      {answer.failure && <Trouble failure={answer.failure} retry={answer.retry} />}
      {answer.data && (
        <List
          {...{ session, mayChange }}
          websites={answer.data.data}
          isFiltered={onlyFavorites || address.has('search')}
          onChanged={() => setTurn(turn + 1)}
        />
      )}
      {answer.data && answer.data.meta.last_page > 1 && <Pager {...answer.data.meta} />}
    </main>
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
  isFiltered: boolean;
  onChanged: () => void;
}

function List({ session, mayChange, websites, isFiltered, onChanged }: ListProps) {
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
  if (websites.length === 0)
    return <p class="card nothing quiet">{isFiltered ? texts.more.nothing : words.none}</p>;
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
