import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../shared/texts';
import { Complaint } from './field';
import type { Task } from './use-task';

interface Props {
  title: string;
  text: string;
  button: string;
  task: Task;
  onConfirmed: () => void;
  onClosed: () => void;
}

/** Asks for confirmation before something that cannot be undone. */
export function Confirm({ title, text, button, task, onConfirmed, onClosed }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={onClosed}>
      <h2 id="confirm-title">{title}</h2>
      <p>{text}</p>
      <Complaint task={task} />
      <div class="choices">
        <button class="plain" onClick={() => dialog.current!.close()}>
          {texts.console.cancel}
        </button>
        <button class="primary danger" onClick={onConfirmed}>
          {button}
        </button>
      </div>
    </dialog>
  );
}
