import { Trouble } from '../../shared/notices';
import { wordsOf } from '../../shared/language/wording';
import { useAnswer } from '../../shared/use-answer';
import { Bones } from '../../statistics/panels/entries';
import type { View } from '../view';
import { words } from '../words';
import { type JourneyAnswer, journeyIn, journeyQuery } from './answer';
import { Drawing } from './drawing';
import { JourneyForm } from './journey-form';
import { JourneyTable } from './journey-table';
import './journeys.css';

/** Where visits go, from their entry, a page or an event. */
export function Journeys(view: View) {
  const journey = journeyIn(view.address);
  const requested = journeyQuery(view, journey);
  const { data, failure, retry } = useAnswer<JourneyAnswer>(requested);
  const { from, value } = journey;
  const start = from === 'entry' ? words.journeys.entry : wordsOf(from, value);
  return (
    <>
      <JourneyForm key={`${from}:${value}`} journey={journey} places={view.reading.places} />
      {failure && <Trouble failure={failure} retry={retry} />}
      {!requested && <p class="quiet">{words.none.journeys}</p>}
      {requested && !data && !failure && <Bones rows={6} />}
      {requested && data && !failure && <Result {...{ data, journey, start }} />}
    </>
  );
}

interface ResultProps {
  data: JourneyAnswer;
  journey: ReturnType<typeof journeyIn>;
  start: string;
}

function Result({ data, journey, start }: ResultProps) {
  if (data.data.visits === 0) return <p class="nothing quiet">{words.journeys.nobody}</p>;
  return (
    <>
      <Drawing answer={data} {...{ journey, start }} />
      <JourneyTable answer={data} {...{ start }} isBackwards={journey.direction === 'backwards'} />
    </>
  );
}
