import { useLayoutEffect, useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { Choice } from '../../statistics/filters/choices';
import type { Places } from '../../statistics/page-answer';
import { ValueField } from '../forms/value-field';
import { words } from '../words';
import { DIRECTIONS, FROM, type Journey, journeyChange, STEPS } from './answer';

const { journeys } = words;

interface Props {
  journey: Journey;
  places: Places;
}

/** Where a journey begins, its direction and its length. Choices apply at once; a text when it is submitted. */
export function JourneyForm({ journey, places }: Props) {
  const [text, setText] = useState(journey.value);
  const { from } = journey;
  useLayoutEffect(() => setText(journey.value), [from, journey.value]);
  const show = (changes: Partial<Journey>) => go(journeyChange({ ...journey, ...changes }));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    show({ value: text });
  };
  return (
    <form class="view-tools journey-form" onSubmit={submit}>
      <Choice
        label={journeys.from}
        of={FROM}
        wordOf={(kind) => `${journeys.from}: ${journeys.kinds[kind]}`}
        chosen={from}
        onChosen={(kind) => show({ from: kind, value: '' })}
      />
      {from !== 'entry' && (
        <>
          <ValueField
            key={from}
            id="journey-value"
            label={journeys.value[from]}
            name={from}
            places={places}
            value={text}
            isRequired
            onTyped={setText}
          />
          <button class="plain">{journeys.show}</button>
          <Choice
            label={journeys.direction}
            of={DIRECTIONS}
            wordOf={(one) => journeys.directions[one]}
            chosen={journey.direction}
            onChosen={(direction) => show({ direction })}
          />
        </>
      )}
      <Choice
        label={journeys.steps}
        of={STEPS}
        wordOf={(steps) => `${journeys.steps}: ${steps}`}
        chosen={journey.steps}
        onChosen={(steps) => show({ steps })}
      />
    </form>
  );
}
