import { useState } from 'preact/hooks';
import { linkTo } from '../address';
import { Trouble } from '../notices';
import { Statistics } from '../statistics';
import { texts } from '../texts';
import { useAnswer } from '../use-answer';
import { API, type Session, type Website } from './client';
import { ONLY, type Surroundings } from './console';
import { Options } from './options';

interface Props {
  id: string;
  session: Session;
  surroundings: Surroundings;
  address: URLSearchParams;
  mayChange: boolean;
}

/** One website: its statistics, or its options. */
export function WebsitePage({ id, session, surroundings, address, mayChange }: Props) {
  const [turn, setTurn] = useState(0);
  const answer = useAnswer<{ data: Website }>(`${API}/websites/${id}`, turn);
  const website = answer.data?.data;
  if (!website) return answer.failure ? <Trouble failure={answer.failure} retry={answer.retry} /> : null;
  const { timezone, base, attributesGeography } = surroundings;
  const isOptions = address.get('view') === 'options';
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
        <Options {...{ session, website, base, mayChange }} onChanged={() => setTurn(turn + 1)} />
      ) : (
        <Statistics
          domain={website.domain}
          timezone={timezone}
          questions={{ stats: `${API}/stats/${id}`, summary: `${API}/stats/${id}/summary` }}
          isEmbedded={false}
          attributesGeography={attributesGeography}
        />
      )}
    </>
  );
}
