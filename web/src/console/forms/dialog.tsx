import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../../shared/texts';
import './dialog.css';
import { Complaints } from './field';
import type { Task } from './use-task';

interface DialogProps {
  title: string;
  kind?: string;
  /** Tells whether Escape leaves it open, as it does while a form is being sent. */
  isKept?: boolean;
  onClosed: () => void;
  /** With a function that closes the dialog, so that the focus returns to where it was. */
  children: (close: () => void) => ComponentChildren;
}

const TITLE = 'dialog-title';

/** A dialog, which is open as long as it is there. */
export function Dialog({ title, kind = '', isKept = false, onClosed, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const stay = (event: Event) => {
    if (isKept || dialog.current!.querySelector('form[aria-busy="true"]')) event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class={`confirm ${kind}`}
      aria-labelledby={TITLE}
      onCancel={stay}
      // A browser closes a dialog at a second Escape, whatever `cancel` prevented.
      onKeyDown={(event) => event.key === 'Escape' && stay(event)}
      onClose={onClosed}
    >
      <h2 id={TITLE}>{title}</h2>
      {children(() => dialog.current?.close())}
    </dialog>
  );
}

interface FormProps {
  task: Task;
  /** The fields that show their own errors. */
  shown?: readonly string[];
  /** Undefined if there is nothing to submit. */
  button: string | undefined;
  isDangerous?: boolean;
  isDisabled?: boolean;
  close: () => void;
  onSubmit: (form: FormData) => void;
  children: ComponentChildren;
}

/** The form of a dialog, with what is wrong below it. */
export function DialogForm(props: FormProps) {
  const { task, shown, button, isDangerous = false, isDisabled, close, onSubmit, children } = props;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (button !== undefined) onSubmit(new FormData(event.currentTarget as HTMLFormElement));
  };
  return (
    <form onSubmit={submit} aria-busy={task.isRunning}>
      {children}
      <Complaints task={task} shown={shown} />
      <div class="choices">
        <button
          type="button"
          class="plain"
          aria-disabled={task.isRunning}
          onClick={() => task.isRunning || close()}
        >
          {texts.console.cancel}
        </button>
        {button !== undefined && (
          <button class={isDangerous ? 'primary danger' : 'primary'} disabled={isDisabled}>
            {button}
          </button>
        )}
      </div>
    </form>
  );
}
