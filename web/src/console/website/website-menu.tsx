import { shownDomain } from '../../../../engine/ground/shown-domain';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import { urlOf } from '../../shared/api';
import { useTyped } from '../../shared/controls/search';
import { Initial } from '../../shared/initial/initial';
import { texts } from '../../shared/texts';
import { focusWebsiteMenu } from '../../statistics/bar/bar';
import { useAnswer } from '../../shared/use-answer';
import { API, type PageOf, type Website } from '../client';
import { ONLY } from '../only';

const SHOWN = 100;
/** Fewer websites are seen at once. */
const SEARCHED_FROM = 6;
/** What belongs to one website. */
const OF_WEBSITE = {
  f: undefined,
  properties: undefined,
  more: undefined,
  search: undefined,
  sort: undefined,
  at: undefined,
  live: undefined,
  funnel: undefined,
  journey: undefined,
};

interface Props {
  id: string;
  onChosen: () => void;
}

/** The page of another website takes the focus, whose element is gone. */
export function useFocusOnSwitch(takesFocus: { current: boolean }): void {
  useLayoutEffect(() => {
    if (takesFocus.current && document.activeElement === document.body) focusWebsiteMenu();
    takesFocus.current = false;
  }, []);
}

/** The websites to switch to, by domain. The range and the comparison stay. */
export function WebsiteMenu({ id, onChosen }: Props) {
  const [search, setSearch] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const asked = { search: useTyped(search), sort_by: 'domain', sort: 'asc', per_page: SHOWN };
  const { data } = useAnswer<PageOf<Website>>(urlOf(`${API}/websites`, asked));
  const hasSearch = search !== '' || (data?.meta.total ?? 0) >= SEARCHED_FROM;
  useLayoutEffect(() => field.current?.focus(), [hasSearch]);
  return (
    <>
      {hasSearch && (
        <input
          ref={field}
          type="search"
          aria-label={texts.more.search}
          placeholder={texts.more.search}
          maxLength={200}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul class="options" onClick={onChosen}>
        {data?.data.map((website) => (
          <li key={website.id}>
            <a
              class="option"
              {...linkTo({ ...OF_WEBSITE, website: String(website.id) })}
              aria-current={String(website.id) === id ? 'page' : undefined}
            >
              <Initial domain={website.domain} />
              <span class="site-name">{shownDomain(website.domain)}</span>
            </a>
          </li>
        ))}
        {data?.data.length === 0 && <li class="quiet nothing-found">{texts.more.nothing}</li>}
      </ul>
      <a class="option all-websites" {...linkTo(ONLY)}>
        {texts.console.websites.title}
      </a>
    </>
  );
}
