import type { Dialect } from '../../engine/database/dialect';
import { realNow, until } from './until';

/**
 * Shortens pauses and deadlines of this process by this time; its timers are unaffected. The clock never goes back, not
 * even for later files: what the service remembers would lie in the future.
 */
export function passTime(milliseconds: number): void {
  const real = realNow();
  const aheadMs = performance.now() - real + milliseconds;
  performance.now = () => realNow() + aheadMs;
}

/** Lets the clock of the database run ahead, for all that this process asks of it. */
export function passTimeOf({ dialect }: { dialect: Dialect }, milliseconds: number): void {
  jest.replaceProperty(dialect, 'now', `(${dialect.now} + ${milliseconds})`);
}

/**
 * Lets this time pass again and again until `look` returns a value. The pauses between grow, because work that is under
 * way loses that time, too.
 */
export function passTimeUntil<T>(milliseconds: number, look: () => T | Promise<T>) {
  let pauseMs = 250;
  let nextAt = 0;
  return until(() => {
    if (realNow() >= nextAt) {
      passTime(milliseconds);
      nextAt = realNow() + pauseMs;
      pauseMs *= 1.5;
    }
    return look();
  }, 50);
}
