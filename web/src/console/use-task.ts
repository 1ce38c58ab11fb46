import { useState } from 'preact/hooks';
import { texts } from '../shared/texts';
import { Refusal } from './client';

export interface Task {
  isRunning: boolean;
  /** What is wrong with a field. */
  errorsOf: (field: string) => string[];
  /** What is wrong otherwise. */
  complaint: string | undefined;
  /** Does it, unless it is being done already. */
  run: (work: () => Promise<void>) => void;
}

/** Something that is sent, and how that goes. */
export function useTask(): Task {
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const run = (work: () => Promise<void>) => {
    if (isRunning) return;
    setRunning(true);
    work()
      .then(
        () => setRefusal(undefined),
        (error: unknown) => setRefusal(error instanceof Refusal ? error : new Refusal(0, '')),
      )
      .finally(() => setRunning(false));
  };
  const hasErrors = refusal !== undefined && Object.keys(refusal.errors).length > 0;
  return {
    isRunning,
    errorsOf: (field) => refusal?.errors[field] ?? [],
    complaint: refusal && !hasErrors ? refusal.message || texts.failures.offline : undefined,
    run,
  };
}
