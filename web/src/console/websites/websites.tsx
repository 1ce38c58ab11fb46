import { useRef, useState } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import { urlOf } from '../../shared/api';
import icon from '../../shared/icon.svg';
import { Pager } from '../../shared/pager';
import { Trouble } from '../../shared/notices';
import { texts } from '../../shared/texts';
import { type Answer, useAnswer } from '../../shared/use-answer';
import { API, type PageOf, type Session, type Website } from '../client';
import { ONLY } from '../only';
import { useTitle } from '../use-title';
import { askedIn, type Order } from './asked';
import { List } from './list';
import { Total } from './total';
import { useRecent } from './use-recent';
import { Tools } from './websites-tools';
import './websites.css';

const words = texts.console.websites;
/** A shorter list needs no search. */
const MANY = 6;

interface Props {
  session: Session;
  address: URLSearchParams;
  mayChange: boolean;
}

export function Websites({ session, address, mayChange }: Props) {
  useTitle();
  const asked = askedIn(address);
  const [turn, setTurn] = useState(0);
  const answer = useAnswer<PageOf<Website>>(urlOf(`${API}/websites`, asked.parameters), turn);
  const { data, failure, retry } = answer;
  const total = useTotal(answer, asked.isFiltered);
  const order = isWhole(data) || asked.order !== 'visitors' ? asked.order : 'newest';
  const mayAdd = mayChange && !session.key.websites;
  return (
    <main>
      <div class="title-row">
        <h1>{words.title}</h1>
        {total !== undefined && total > 1 && (
          <Tools
            {...{ address, order }}
            onlyFavorites={asked.onlyFavorites}
            isWhole={isWhole(data)}
            areMany={total >= MANY}
          />
        )}
        {mayAdd && total !== 0 && <Add />}
      </div>
      {failure && <Trouble failure={failure} retry={retry} />}
      {total === 0 ? (
        <First mayAdd={mayAdd} />
      ) : (
        data && (
          <Listed
            {...{ session, mayChange, order }}
            isFiltered={asked.isFiltered}
            page={data}
            onChanged={() => setTurn(turn + 1)}
          />
        )
      )}
    </main>
  );
}

const isWhole = (page: PageOf<Website> | undefined) => page?.meta.last_page === 1;

interface ListedProps extends Omit<Props, 'address'> {
  order: Order;
  isFiltered: boolean;
  page: PageOf<Website>;
  onChanged: () => void;
}

function Listed({ session, mayChange, order, isFiltered, page, onChanged }: ListedProps) {
  const websites = page.data;
  const { numbers, areKnown } = useRecent(websites);
  return (
    <>
      {isWhole(page) && !isFiltered && websites.length > 1 && <Total {...{ websites, numbers }} />}
      <List {...{ session, mayChange, websites, numbers, areKnown, order, onChanged }} />
      {!isWhole(page) && <Pager {...page.meta} />}
    </>
  );
}

/** How many websites there are. Answers during a search do not count them all. */
function useTotal({ data, isLoading }: Answer<PageOf<Website>>, isFiltered: boolean): number | undefined {
  const total = useRef(isFiltered ? MANY : undefined);
  if (data && !isLoading && !isFiltered) total.current = data.meta.total;
  return total.current;
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
