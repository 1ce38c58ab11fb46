import { useRef, useState } from 'preact/hooks';
import { Since, Trouble } from '../../shared/notices';
import { wordsOf } from '../../shared/language/value-labels';
import { useAnswer } from '../../shared/use-answer';
import { sinceIn } from '../../statistics/coverage';
import { Bones } from '../../statistics/panels/entries';
import type { View } from '../view';
import { words } from '../words';
import { type JourneyAnswer, journeyIn, journeyQuery } from './answer';
import { Drawing } from './drawing';
import { JourneyForm } from './journey-form';
import { JourneyTable } from './journey-table';
import { shortened } from './layout';
import './journeys.css';

/** Where visits go, from their entry, a page or an event. */
export function Journeys(view: View) {
  const journey = journeyIn(view.address);
  const requested = journeyQuery(view, journey);
  const { data, isOther, failure, retry } = useAnswer<JourneyAnswer>(requested);
  const box = useRef<HTMLDivElement>(null);
  const [isFull, setFull] = useState(false);
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
              {...{ data, journey, start, isFull, setFull }}
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
  /** Tells whether all nodes of the answer are drawn. */
  isFull: boolean;
  setFull: (isFull: boolean) => void;
  /** Called before the drawing, which has the focus, is replaced by another. */
  onFollowed: () => void;
}

function Result({ data, journey, start, isFull, setFull, span, first, onFollowed }: ResultProps) {
  const since = sinceIn(data, span, first);
  if (since !== undefined) return <Since day={since} span={span} />;
  if (data.data.visits === 0) return <p class="nothing quiet">{words.journeys.nobody}</p>;
  const short = shortened(data);
  const hasMore = short.data.steps.some(
    ({ nodes }, index) => nodes.length < data.data.steps[index]!.nodes.length,
  );
  return (
    <>
      <Drawing answer={isFull ? data : short} {...{ journey, start, onFollowed }} />
      {hasMore && (
        <button class="plain journey-more" onClick={() => setFull(!isFull)}>
          {isFull ? words.journeys.fewer : words.journeys.more}
        </button>
      )}
      <JourneyTable answer={data} {...{ start }} isBackwards={journey.direction === 'backwards'} />
    </>
  );
}
