import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import './confirm.css';
import { Dialog, DialogForm } from './dialog';
import type { Task } from './use-task';

interface Props {
  title: string;
  text: string;
  /** Undefined if it cannot be confirmed. */
  button: string | undefined;
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
  const [entered, setEntered] = useState('');
  const isDisabled = typed !== undefined && entered.trim() !== typed.text;
  return (
    <Dialog title={title} onClosed={onClosed}>
      {(close) => (
        <DialogForm {...{ task, button, isDisabled, close }} isDangerous onSubmit={() => onConfirmed(close)}>
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
        </DialogForm>
      )}
    </Dialog>
  );
}
