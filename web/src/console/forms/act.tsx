import './act.css';

const SHAPES = {
  edit: 'm2.5 13.5.7-3 7.6-7.6 2.3 2.3-7.6 7.6zM9.3 4.4l2.3 2.3',
  remove: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9M6.7 7v4M9.3 7v4',
};

interface Props {
  kind: keyof typeof SHAPES;
  label: string;
  onClick: () => void;
}

interface ActsProps {
  name: string;
  words: { editOne: (name: string) => string; remove: (name: string) => string };
  onOpened: (act: keyof typeof SHAPES) => void;
}

/** The buttons of a row that has a name. */
export function Acts({ name, words, onOpened }: ActsProps) {
  return (
    <span class="acts">
      <Act kind="edit" label={words.editOne(name)} onClick={() => onOpened('edit')} />
      <Act kind="remove" label={words.remove(name)} onClick={() => onOpened('remove')} />
    </span>
  );
}

/** A button of a row, as a picture. */
export function Act({ kind, label, onClick }: Props) {
  return (
    <button type="button" class={`act ${kind}`} aria-label={label} title={label} onClick={onClick}>
      <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={SHAPES[kind]} />
      </svg>
    </button>
  );
}
