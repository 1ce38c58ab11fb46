import { propertyNamed } from '../../shared/names';
import { useTyped } from '../../shared/controls/search';
import type { Places } from '../../statistics/page-answer';
import { Choice } from '../../statistics/filters/choices';
import { type Condition, MATCHES } from '../conditions';
import { words } from '../words';
import { ValueField } from './value-field';

const { goals } = words;
/** A property's name is no longer. */
const MAX_NAME = 64;

interface Props {
  /** The beginning of the fields' ids. */
  id: string;
  condition: Condition;
  places: Places;
  onChanged: (condition: Condition) => void;
}

/** The texts of a condition, by its kind. */
export function ConditionFields({ id, condition, places, onChanged }: Props) {
  const { kind, text, match } = condition;
  const set = (changes: Partial<Condition>) => onChanged({ ...condition, ...changes });
  return (
    <>
      <div class={kind === 'pattern' ? 'joined' : ''}>
        {kind === 'pattern' && (
          <Choice
            label={goals.match}
            of={MATCHES}
            wordOf={(one) => goals.matches[one]}
            chosen={match}
            onChosen={(one) => set({ match: one })}
          />
        )}
        <ValueField
          key={kind}
          id={`${id}-text`}
          label={goals.fields[kind]}
          name={kind === 'pattern' ? 'page' : kind}
          places={places}
          value={text}
          isRequired
          onTyped={(typed) => set({ text: typed })}
        />
      </div>
      {kind === 'event' && <PropertyFields {...{ id, condition, places }} onChanged={set} />}
    </>
  );
}

interface PropertyProps extends Omit<Props, 'onChanged'> {
  onChanged: (changes: Partial<Condition>) => void;
}

function PropertyFields({ id, condition, places, onChanged }: PropertyProps) {
  const { property, propertyValue } = condition;
  const known = useTyped(property);
  return (
    <div class="pair">
      <ValueField
        id={`${id}-property`}
        label={goals.property}
        name={undefined}
        places={places}
        value={property}
        maxLength={MAX_NAME}
        onTyped={(typed) => onChanged({ property: typed })}
      />
      <ValueField
        id={`${id}-value`}
        label={goals.propertyValue}
        name={known === '' ? undefined : propertyNamed(known)}
        places={places}
        value={propertyValue}
        placeholder={goals.anyValue}
        attributes={{ disabled: property === '' }}
        onTyped={(typed) => onChanged({ propertyValue: typed })}
      />
    </div>
  );
}
