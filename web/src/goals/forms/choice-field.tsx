import { Choice, type ChoiceProps } from '../../statistics/filters/choices';

/** A choice with its label above it. */
export function ChoiceField<T extends string>(props: ChoiceProps<T>) {
  return (
    <div class="field">
      <b aria-hidden="true">{props.label}</b>
      <Choice {...props} />
    </div>
  );
}
