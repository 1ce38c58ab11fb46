import type { Filter } from './filters';
import { described, isProperty, type Name } from '../../shared/names';
import { namesOf, panelsFor } from '../panels/panels';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';
import { singularOf } from '../../shared/language/value-labels';

const words = texts.filters;

interface NameChoiceProps {
  reading: Reading;
  changed: Filter | undefined;
  chosen: Name;
  onChosen: (name: Name) => void;
}

/** The names that may be filtered by, by panel. A property is chosen in its panel, and a viewer's goal as well. */
export function NameChoice({ reading, changed, chosen, onChosen }: NameChoiceProps) {
  const own = changed && (isProperty(changed.name) || changed.name === 'goal') ? [changed.name] : [];
  const others = reading.own && changed?.name !== 'goal' ? [...own, 'goal' as const] : own;
  return (
    <select
      aria-label={words.name}
      value={chosen}
      onChange={({ currentTarget }) => onChosen(currentTarget.value as Name)}
    >
      {others.map((name) => (
        <Option key={name} name={name} />
      ))}
      {panelsFor(reading).map((panel) => (
        <optgroup key={panel.id} label={texts.panels[panel.id]}>
          {namesOf(panel).map((name) => !described(name).isListed && <Option key={name} name={name} />)}
        </optgroup>
      ))}
    </select>
  );
}

const Option = ({ name }: { name: Name }) => <option value={name}>{singularOf(name)}</option>;

export interface ChoiceProps<T extends string> {
  label: string;
  of: readonly T[];
  wordOf: (one: T) => string;
  chosen: T;
  onChosen: (one: T) => void;
}

export function Choice<T extends string>({ label, of, wordOf, chosen, onChosen }: ChoiceProps<T>) {
  return (
    <select
      aria-label={label}
      value={chosen}
      onChange={({ currentTarget }) => onChosen(of[currentTarget.selectedIndex]!)}
    >
      {of.map((one) => (
        <option key={one} value={one}>
          {wordOf(one)}
        </option>
      ))}
    </select>
  );
}
