import { useRef } from 'preact/hooks';
import { Since, Trouble } from '../../shared/notices';
import { wordsOf } from '../../shared/language/wording';
import { useAnswer } from '../../shared/use-answer';
import { sinceIn } from '../../statistics/coverage';
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
  const { data, isOther, failure, retry } = useAnswer<JourneyAnswer>(requested);
  const box = useRef<HTMLDivElement>(null);
  const { from, value } = journey;
  const start = from === 'entry' ? words.journeys.entry : wordsOf(from, value);
  return (
    <>
      <JourneyForm journey={journey} places={view.reading.places} />
      {failure && <Trouble failure={failure} retry={retry} />}
      {!requested && <p class="quiet">{words.none.journeys}</p>}
      {requested && !failure && (
        <div ref={box} class="journey-result" tabIndex={-1} aria-busy={!data || isOther}>
          {!data || isOther ? (
            <Bones rows={6} />
          ) : (
            <Result
              {...{ data, journey, start }}
              {...view}
              onFollowed={() => box.current!.focus({ preventScroll: true })}
            />
          )}
        </div>
      )}
    </>
  );
}

interface ResultProps extends Pick<View, 'span' | 'first'> {
  data: JourneyAnswer;
  journey: ReturnType<typeof journeyIn>;
  start: string;
  /** Called before the drawing, which has the focus, is replaced by another. */
  onFollowed: () => void;
}

function Result({ data, journey, start, span, first, onFollowed }: ResultProps) {
  const since = sinceIn(data, span, first);
  if (since !== undefined) return <Since day={since} span={span} />;
  if (data.data.visits === 0) return <p class="nothing quiet">{words.journeys.nobody}</p>;
  return (
    <>
      <Drawing answer={data} {...{ journey, start, onFollowed }} />
      <JourneyTable answer={data} {...{ start }} isBackwards={journey.direction === 'backwards'} />
    </>
  );
}
