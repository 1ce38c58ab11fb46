import { texts } from '../../shared/texts';
import './confirm.css';
import { Copied } from './copied';

interface Props {
  text: string;
  note: string;
  onDone: () => void;
}

/** What the service shows this once, in a dialog. */
export function ShownOnce({ text, note, onDone }: Props) {
  return (
    <div class="made">
      <p role="status">{note}</p>
      <Copied text={text} />
      <div class="choices">
        <button class="primary" onClick={onDone}>
          {texts.console.keys.done}
        </button>
      </div>
    </div>
  );
}
