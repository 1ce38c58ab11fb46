import { showToast } from '../frame/toast';
import { Confirm } from './confirm';
import { useTask } from './use-task';

interface Props {
  words: { title: (name: string) => string; text: string; confirm: string };
  name: string;
  /** What must be typed first. */
  typed?: { label: string; text: string };
  /** Said once it is deleted. */
  deleted: string;
  remove: () => Promise<void>;
  onRemoved: () => void;
  onClosed: () => void;
}

/** Deletes something once that is confirmed. */
export function RemovalDialog({ words, name, typed, deleted, remove, onRemoved, onClosed }: Props) {
  const task = useTask();
  const confirm = (close: () => void) =>
    task.run(async () => {
      await remove();
      showToast(deleted);
      close();
      onRemoved();
    });
  return (
    <Confirm
      title={words.title(name)}
      text={words.text}
      button={words.confirm}
      {...(typed && { typed })}
      task={task}
      onConfirmed={confirm}
      onClosed={onClosed}
    />
  );
}
