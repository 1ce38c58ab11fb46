import { useRef, useState } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import { urlOf } from '../../shared/api';
import { numberText } from '../../shared/format';
import icon from '../../shared/icon.svg';
import { Pager } from '../../shared/controls/pager';
import { Trouble } from '../../shared/notices';
import { texts } from '../../shared/texts';
import { type Answer, useAnswer } from '../../shared/use-answer';
import { API, type PageOf, type Session, type Website } from '../client';
import { ONLY } from '../only';
import { useTitle } from '../use-title';
import { type Asked, askedIn, type Order } from './asked';
import { List } from './list';
import { byVisitors, knownTotal, type Numbers } from './numbers';
import { Demo } from './demo';
import { NoTotal, Total } from './total';
import { type All, isWhole, useAll } from './use-all';
import { type RecentNumbers, useRecent } from './use-recent';
import { MOST_ADDED, useTotal } from './use-total';
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
  const count = useCount(answer, asked.isFiltered);
  const { all, isComplete } = useAll(asked, data, turn);
  const order = orderOf(asked, isComplete);
  const mayAdd = mayChange && !session.key.websites;
  return (
    <main>
      <div class="title-row">
        <h1>{words.title}</h1>
        {count !== undefined && count > 1 && (
          <Tools
            {...{ address, order }}
            onlyFavorites={asked.onlyFavorites}
            maySortByVisitors={isComplete}
            areMany={count >= MANY}
          />
        )}
        {mayAdd && count !== 0 && <Add />}
      </div>
      {failure && <Trouble failure={failure} retry={retry} />}
      {count === 0 && <First session={session} mayAdd={mayAdd} />}
      {count !== 0 && data && (
        <Listed
          {...{ session, mayChange, order, all, turn }}
          isFiltered={asked.isFiltered}
          page={data}
          onChanged={() => setTurn(turn + 1)}
        />
      )}
    </main>
  );
}

/** Without all numbers, the list cannot be sorted by them. */
function orderOf({ order }: Asked, isComplete: boolean): Order {
  return isComplete || order !== 'visitors' ? order : 'newest';
}

interface ListedProps extends Omit<Props, 'address'> {
  order: Order;
  isFiltered: boolean;
  page: PageOf<Website>;
  /** The websites of all pages, if they are ordered by visitors; undefined until they are known. */
  all: All | undefined;
  turn: number;
  onChanged: () => void;
}

function Listed({ session, mayChange, order, isFiltered, page, all, turn, onChanged }: ListedProps) {
  const isSorted = order === 'visitors' && !isWhole(page);
  const websites = isSorted && all ? sortedPage(all, page) : page.data;
  const recent = useRecent(websites);
  const numbers = new Map([...(all?.numbers ?? []), ...recent.numbers]);
  const areKnown = isSorted ? all !== undefined : recent.areKnown;
  return (
    <>
      {!isFiltered && page.meta.total > 1 && <Sum {...{ page, numbers, recent, turn }} />}
      <List {...{ session, mayChange, websites, numbers, areKnown, order, onChanged }} />
      {!isWhole(page) && <Pager {...page.meta} />}
    </>
  );
}

interface SumProps {
  page: PageOf<Website>;
  numbers: Map<number, Numbers>;
  recent: RecentNumbers;
  turn: number;
}

/** The total of all websites, or why there is none. */
function Sum({ page, numbers, recent, turn }: SumProps) {
  const { total: count } = page.meta;
  const { sum, isTooLarge, failure, retry } = useTotal(page, turn);
  if (isTooLarge) return <p class="quiet">{words.noTotal(numberText(MOST_ADDED))}</p>;
  const failed = isWhole(page) ? recent : { failure, retry };
  if (failed.failure) return <NoTotal count={count} retry={failed.retry} />;
  return <Total count={count} total={isWhole(page) ? knownTotal(page.data, numbers) : sum} />;
}

/** The part of all websites that a page of the list has, in the order of visitors. */
function sortedPage({ websites, numbers }: All, { meta }: PageOf<Website>): Website[] {
  return byVisitors(websites, numbers).slice(Math.max(0, meta.from - 1), meta.to);
}

/** How many websites there are. Answers during a search do not count them all. */
function useCount({ data, isLoading }: Answer<PageOf<Website>>, isFiltered: boolean): number | undefined {
  const count = useRef(isFiltered ? MANY : undefined);
  if (data && !isLoading && !isFiltered) count.current = data.meta.total;
  return count.current;
}

function Add() {
  return (
    <a class="primary" {...linkTo({ ...ONLY, view: 'new' })}>
      {words.add}
    </a>
  );
}

function First({ session, mayAdd }: { session: Session; mayAdd: boolean }) {
  return (
    <section class="card first">
      <img src={icon} alt="" width="48" height="48" />
      <h2>{mayAdd ? words.first : words.none}</h2>
      {mayAdd && <p class="quiet">{words.firstText}</p>}
      {mayAdd && <Add />}
      {mayAdd && <Demo session={session} />}
    </section>
  );
}
