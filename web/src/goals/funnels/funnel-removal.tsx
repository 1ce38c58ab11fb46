import { Confirm } from '../../console/forms/confirm';
import { useTask } from '../../console/forms/use-task';
import { showToast } from '../../console/frame/toast';
import type { Own } from '../../statistics/reading';
import { type Funnel, remove } from '../definitions';
import { words } from '../words';

const { removal, deleted } = words.funnels;

interface Props {
  own: Own;
  funnel: Funnel;
  onDeleted: () => void;
  onClosed: () => void;
}

export function FunnelRemoval({ own, funnel, onDeleted, onClosed }: Props) {
  const task = useTask();
  const confirm = (close: () => void) =>
    task.run(async () => {
      await remove(own, 'funnels', funnel.id);
      showToast(deleted);
      close();
      onDeleted();
    });
  return (
    <Confirm
      title={removal.title(funnel.name)}
      text={removal.text}
      button={removal.confirm}
      task={task}
      onConfirmed={confirm}
      onClosed={onClosed}
    />
  );
}
