import { useState } from 'preact/hooks';
import { texts } from '../../shared/texts';
import { Refusal } from '../client';

export interface Task {
  isRunning: boolean;
  /** The errors of a field. */
  errorsOf: (field: string) => string[];
  /** The errors of all fields but these. */
  errorsBeside: (fields: readonly string[]) => string[];
  /** Any other error. */
  complaint: string | undefined;
  /** Runs the work, unless the task is already running. */
  run: (work: () => Promise<void>) => void;
}

/** A submission and its state. */
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
    errorsBeside: (fields) =>
      Object.entries(refusal?.errors ?? {}).flatMap(([field, errors]) =>
        fields.includes(field) ? [] : errors.map((error) => texts.console.wrong(field, error)),
      ),
    complaint: refusal && !hasErrors ? refusal.message || texts.failures.offline : undefined,
    run,
  };
}
