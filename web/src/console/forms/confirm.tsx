import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../shared/texts';
import './confirm.css';
import { Complaints } from './field';
import type { Task } from './use-task';

interface Props {
  title: string;
  text: string;
  button: string;
  /** What must be typed first. */
  typed?: { label: string; text: string };
  task: Task;
  /** Below the text. */
  children?: ComponentChildren;
  /** With a function that closes the dialog, so that the focus returns to where it was. */
  onConfirmed: (close: () => void) => void;
  onClosed: () => void;
}

/** Asks for confirmation before something that cannot be undone. */
export function Confirm({ title, text, button, typed, task, children, onConfirmed, onClosed }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [entered, setEntered] = useState('');
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const close = () => dialog.current!.close();
  const confirm = (event: SubmitEvent) => {
    event.preventDefault();
    onConfirmed(close);
  };
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={onClosed}>
      <form onSubmit={confirm}>
        <h2 id="confirm-title">{title}</h2>
        <p>{text}</p>
        {children}
        {typed && (
          <label class="typed">
            {typed.label}
            <input
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={entered}
              onInput={({ currentTarget }) => setEntered(currentTarget.value)}
            />
          </label>
        )}
        <Complaints task={task} />
        <div class="choices">
          <button type="button" class="plain" onClick={close}>
            {texts.console.cancel}
          </button>
          <button class="primary danger" disabled={typed !== undefined && entered.trim() !== typed.text}>
            {button}
          </button>
        </div>
      </form>
    </dialog>
  );
}
