import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import { Trouble } from '../../shared/notices';
import type { Places } from '../../statistics/page-answer';
import { Statistics } from '../../statistics/statistics';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { API, headersOf, type Session, type Surroundings, type Website } from '../client';
import { ONLY } from '../only';
import { Options } from './options';
import { Snippet } from './snippet';
import { useTitle } from '../use-title';

interface Props {
  id: string;
  session: Session;
  surroundings: Surroundings;
  address: URLSearchParams;
  mayChange: boolean;
}

/** A website's statistics or options. */
export function WebsitePage({ id, session, surroundings, address, mayChange }: Props) {
  const [turn, setTurn] = useState(0);
  const [look, setLook] = useState(0);
  const answer = useAnswer<{ data: Website }>(`${API}/websites/${id}`, turn);
  const website = answer.data?.data;
  useTitle(website?.domain);
  if (answer.failure?.kind === 'gone') return <NoWebsite />;
  if (!website) return answer.failure ? <Trouble failure={answer.failure} retry={answer.retry} /> : null;
  const { timezone, base, attributesGeography } = surroundings;
  const isOptions = address.get('view') === 'options';
  const places = placesOf(id, session);
  const snippet = (way: ComponentChildren) => <Snippet {...{ website, places, surroundings }}>{way}</Snippet>;
  const current = (is: boolean) => (is ? 'page' : undefined);
  return (
    <>
      <nav class="crumbs" aria-label={website.domain}>
        <a {...linkTo({ ...ONLY, website: id })} aria-current={current(!isOptions)}>
          {texts.statistics}
        </a>
        <a {...linkTo({ ...ONLY, website: id, view: 'options' })} aria-current={current(isOptions)}>
          {texts.console.options.title}
        </a>
      </nav>
      {isOptions ? (
        <Options
          {...{ session, website, base, mayChange }}
          snippet={snippet(
            <a class="primary" {...linkTo({ ...ONLY, website: id })}>
              {texts.console.snippet.view}
            </a>,
          )}
          onChanged={() => setTurn(turn + 1)}
        />
      ) : (
        <Statistics
          key={look}
          reading={{
            domain: website.domain,
            isOwner: true,
            mayFilter: true,
            isLiveWhole: true,
            places,
          }}
          timezone={timezone}
          isEmbedded={false}
          attributesGeography={attributesGeography}
          setup={snippet(
            <button class="primary" onClick={() => setLook(look + 1)}>
              {texts.console.snippet.view}
            </button>,
          )}
        />
      )}
    </>
  );
}

function NoWebsite() {
  const { text, back } = texts.console.noWebsite;
  return (
    <main>
      <div class="notice" role="alert">
        <h1>{text}</h1>
        <a class="primary" {...linkTo(ONLY)}>
          {back}
        </a>
      </div>
    </main>
  );
}

function placesOf(id: string, session: Session): Places {
  const stats = `${API}/stats/${id}`;
  return {
    stats,
    summary: `${stats}/summary`,
    query: `${stats}/query`,
    values: `${stats}/values`,
    live: `${stats}/live`,
    headers: headersOf(session),
  };
}
