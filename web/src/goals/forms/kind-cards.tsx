import { words } from '../words';

const { goals } = words;
type Kind = keyof typeof goals.kindTexts;

interface Props {
  kinds: readonly Kind[];
  chosen: string;
  onChosen: (kind: Kind) => void;
}

/** What visitors do, as one of several. */
export function KindCards({ kinds, chosen, onChosen }: Props) {
  return (
    <fieldset>
      <legend>{goals.kind}</legend>
      <div class="choice-cards">
        {kinds.map((kind) => (
          <label key={kind}>
            <input
              type="radio"
              name="kind"
              value={kind}
              checked={kind === chosen}
              aria-labelledby={`kind-${kind}`}
              aria-describedby={`kind-${kind}-text`}
              onChange={() => onChosen(kind)}
            />
            <b id={`kind-${kind}`}>{goals.kinds[kind]}</b>
            <span class="quiet" id={`kind-${kind}-text`}>
              {goals.kindTexts[kind]}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
