import { Jobs } from '../../engine/database/jobs';
import { LeaseLost } from '../../engine/database/lease';

/** Does what is due of a kind, until another process does. */
export async function runJobs(jobs: Jobs, kind: string, now?: number): Promise<void> {
  try {
    await jobs.run(kind, now);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
}
