import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** In milliseconds, beyond the resolution of the measurement. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

const RESOLUTION_MS = 1;

/** Loaded into the service with `node -r`: answers each message with the event loop's delays since the last one. */
function answerWithDelays(): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  process.on('message', () => {
    const delay = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const { max } = histogram;
    process.send!({
      p50: delay(histogram.percentile(50)),
      p99: delay(histogram.percentile(99)),
      max: delay(max),
    } satisfies LoopDelay);
    histogram.reset();
  });
  process.channel?.unref();
}

if (isMainThread && process.send) answerWithDelays();
