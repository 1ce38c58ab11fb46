import { urlOf } from '../../shared/api';
import { useTyped } from '../../shared/search';
import { useAnswer } from '../../shared/use-answer';
import type { Places } from '../../statistics/page-answer';
import { isMerged } from '../../shared/names';

const SUGGESTED = 25;
/** A longer text is no value that a form could mean. */
const MAX_LENGTH = 1000;

interface Props {
  id: string;
  label: string;
  /** Whose values are suggested; undefined if nothing is. */
  name: string | undefined;
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
  const search = useTyped(value);
  const { data } = useAnswer<{ data: { value: string }[] }>(
    name === undefined ? undefined : urlOf(places.values, { name, search, per_page: SUGGESTED }),
  );
  const values = (data?.data ?? []).map((one) => one.value).filter((one) => !isMerged(one));
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
        {values.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </div>
  );
}
