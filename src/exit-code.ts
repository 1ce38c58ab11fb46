import { Logger } from '@nestjs/common';
import { TimeoutError, withTimeout } from './common/time/timeout';

const logger = new Logger('Stop');

/** That of a process that has ended its work, or whose time to do so is up; what went wrong is logged. */
export async function exitCodeOf(ending: Promise<unknown>, milliseconds: number): Promise<0 | 1> {
  try {
    await withTimeout(milliseconds, ending);
    return 0;
  } catch (error) {
    if (error instanceof TimeoutError)
      logger.error(`not ended within ${milliseconds / 1000} seconds: the rest is left undone`);
    else logger.error((error as Error).message, (error as Error).stack);
    return 1;
  }
}
