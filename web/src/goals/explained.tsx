import { Complaints } from '../console/forms/field';
import { useTask } from '../console/forms/use-task';
import './goals.css';

interface Props {
  text: string;
  mayChange: boolean;
  create: string;
  /** Undefined if there is no example for this website. */
  example: string | undefined;
  onCreating: () => void;
  storeExample: () => Promise<void>;
}

/** What there is none of yet, with a button that creates one, and another for an example. */
export function Explained({ text, mayChange, create, example, onCreating, storeExample }: Props) {
  const task = useTask();
  return (
    <div class="explained">
      <p class="quiet">{text}</p>
      <Complaints task={task} />
      {mayChange && (
        <p class="buttons">
          <button class="plain" onClick={onCreating}>
            {create}
          </button>
          {example !== undefined && (
            <button class="plain" onClick={() => task.run(storeExample)}>
              {example}
            </button>
          )}
        </p>
      )}
    </div>
  );
}
