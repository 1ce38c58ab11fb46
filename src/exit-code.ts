import { Logger } from '@nestjs/common';
import { TimeoutError, withTimeout } from '../engine/ground/time/timeout';

const logger = new Logger('Stop');

/** The exit code of a process after its work ended or its time is up. Logs errors. */
export async function exitCodeOf(ending: Promise<unknown>, milliseconds: number): Promise<0 | 1> {
  try {
    await withTimeout(milliseconds, ending);
    return 0;
  } catch (error) {
    if (error instanceof TimeoutError)
      logger.error(
        `shutdown did not finish within ${milliseconds / 1000} seconds; remaining work was dropped`,
      );
    else logger.error((error as Error).message, (error as Error).stack);
    return 1;
  }
}
