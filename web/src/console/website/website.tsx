import { shownDomain } from '../../../../engine/ground/shown-domain';
import { useRef, useState } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import { later } from '../../shared/later';
import { Trouble } from '../../shared/notices';
import type { AnnotationsAccess } from '../../statistics/annotations/annotations';
import type { Places } from '../../statistics/page-answer';
import type { Own } from '../../statistics/reading';
import { Statistics } from '../../statistics/statistics';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { API, change, headersOf, type Session, type Surroundings, type Website } from '../client';
import { ofWebsite, ONLY } from '../only';
import { Install } from '../adding/install';
import { Snippet } from './snippet';
import { useFocusOnSwitch, WebsiteMenu } from './website-menu';
import { useTitle } from '../use-title';

const Options = later(async () => (await import('./options/options')).Options);

interface Props {
  id: string;
  session: Session;
  surroundings: Surroundings;
  address: URLSearchParams;
  mayChange: boolean;
  /** Tells whether another website was shown before, whose elements are gone with the focus. */
  isSwitched: boolean;
}

/** A website's statistics, its options, or how to install the script. */
export function WebsitePage({ id, session, surroundings, address, mayChange, isSwitched }: Props) {
  const [turn, setTurn] = useState(0);
  const takesFocus = useRef(isSwitched);
  const answer = useAnswer<{ data: Website }>(`${API}/websites/${id}`, turn);
  const website = answer.data?.data;
  if (answer.failure?.kind === 'gone') return <NoWebsite />;
  if (!website) return answer.failure ? <Trouble failure={answer.failure} retry={answer.retry} /> : null;
  const places = placesOf(id, session);
  const installed = (onReceived?: () => void) => (
    <Snippet {...{ website, surroundings, onReceived }}>
      <a class="primary" {...linkTo(ofWebsite(undefined))}>
        {texts.console.snippet.view}
      </a>
    </Snippet>
  );
  const view = address.get('view');
  if (view === 'install') return <Install domain={website.domain} snippet={installed} />;
  if (view === 'options')
    return (
      <Options
        {...{ session, website, surroundings, address, mayChange, places, takesFocus }}
        snippet={installed()}
        onChanged={() => setTurn(turn + 1)}
      />
    );
  const own = { websiteId: id, mayChange, headers: headersOf(session) };
  const annotations = annotationsOf(id, session, mayChange);
  return <OwnStatistics {...{ website, own, places, surroundings, annotations, takesFocus }} />;
}

interface OwnStatisticsProps {
  website: Website;
  own: Own;
  places: Places;
  surroundings: Surroundings;
  annotations: AnnotationsAccess;
  /** Tells whether the page is yet to take the focus. */
  takesFocus: { current: boolean };
}

function OwnStatistics({ website, own, places, surroundings, annotations, takesFocus }: OwnStatisticsProps) {
  const [look, setLook] = useState(0);
  useFocusOnSwitch(takesFocus);
  const { domain } = website;
  const { timezone, attributesGeography, lacksPlaces } = surroundings;
  useTitle(shownDomain(domain));
  return (
    <Statistics
      key={look}
      reading={{
        ...{
          domain,
          isOwner: true,
          mayFilter: true,
          isLiveWhole: true,
          places,
          own,
          annotations,
          lacksPlaces,
        },
      }}
      isEmbedded={false}
      {...{ timezone, attributesGeography }}
      websites={(close) => <WebsiteMenu id={String(website.id)} onChosen={close} />}
      setup={
        <Snippet {...{ website, surroundings }}>
          <button class="primary" onClick={() => setLook(look + 1)}>
            {texts.console.snippet.view}
          </button>
        </Snippet>
      }
    />
  );
}

function NoWebsite() {
  const { text, back } = texts.console.noWebsite;
  useTitle();
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
    goals: `${API}/websites/${id}/goals`,
    saved: `${API}/websites/${id}/saved-filters`,
    dropped: `${API}/dropped`,
    headers: headersOf(session),
  };
}

function annotationsOf(id: string, session: Session, mayChange: boolean): AnnotationsAccess {
  const path = `websites/${id}/annotations`;
  return {
    url: `${API}/${path}`,
    ...(mayChange && {
      change: (method, below, fields) => change(session, method, path + below, fields),
    }),
  };
}
