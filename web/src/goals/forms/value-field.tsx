import { useTyped } from '../../shared/controls/search';
import type { Name } from '../../shared/names';
import { useKnown } from '../../statistics/filters/suggestions';
import type { Places } from '../../statistics/page-answer';

/** A longer text is no value that a form could mean. */
const MAX_LENGTH = 1000;

interface Props {
  id: string;
  label: string;
  /** Whose values are suggested; undefined if nothing is. */
  name: Name | undefined;
  places: Places;
  value: string;
  isRequired?: boolean;
  placeholder?: string;
  maxLength?: number;
  attributes?: object;
  onTyped: (value: string) => void;
}

/** A field of a text that is suggested from the values that were counted. */
export function ValueField(props: Props) {
  const { id, label, name, places, value, placeholder, maxLength = MAX_LENGTH, attributes, onTyped } = props;
  const { known } = useKnown(places, name, useTyped(value));
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        list={`${id}-values`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        required={props.isRequired}
        placeholder={placeholder}
        maxLength={maxLength}
        value={value}
        onInput={({ currentTarget }) => onTyped(currentTarget.value)}
        {...attributes}
      />
      <datalist id={`${id}-values`}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </div>
  );
}
