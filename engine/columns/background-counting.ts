import { type Measured, MEASURED_THREADS } from '../ground/measures';
import { builtFile } from '../ground/threads/built-file';
import { WorkerThread } from '../ground/threads/worker-thread';
import type { Database } from '../database/database';
import type { HitSettings } from '../database/hit-settings';
import type { CountingService } from './counting.service';
import { type Warning } from '../port';

const MIN_BETWEEN_NUDGES_MS = 25;
/** A fold needs some 5 MB until its end. In a smaller young generation, all of them would move to the old one. */
const LIMITS = { maxYoungGenerationSizeMb: 24 };

interface ThreadMessage {
  warnings: Warning[];
  measured: Measured[];
}

/**
 * Counting in a process that receives events. On a database server it runs in its own thread with its own connections,
 * so that events do not wait for it. SQLite has one writer, in the main thread.
 */
export class BackgroundCounting {
  private thread: WorkerThread | undefined;
  private threadWarnings: Warning[] = [];
  private nudgedAt = 0;

  constructor(
    private readonly database: Database,
    private readonly counting: CountingService,
    private readonly settings: HitSettings,
  ) {}

  /** Tests look into what counts, so there it is in the main thread. */
  start({ mayUseThread }: { mayUseThread: boolean }): void {
    if (mayUseThread && !this.database.dialect.oneConnection) {
      this.thread = new WorkerThread('The counting thread', builtFile('engine/columns/counting-worker.js'), {
        limits: LIMITS,
        data: this.settings,
        onMessage: (message) => this.note(message as ThreadMessage),
        onEnd: () => {
          this.threadWarnings = [];
          MEASURED_THREADS.end(this);
        },
      });
      this.thread.start();
    } else {
      this.counting.start();
    }
  }

  private note({ warnings, measured }: ThreadMessage): void {
    this.threadWarnings = warnings;
    MEASURED_THREADS.note(this, measured);
  }

  /** Call it after a commit to an inbox. A busy thread may miss the message, but it polls the inboxes anyway. */
  nudge(): void {
    if (!this.thread) return this.counting.nudge();
    const now = performance.now();
    if (now - this.nudgedAt < MIN_BETWEEN_NUDGES_MS) return;
    this.nudgedAt = now;
    this.thread.post('nudge');
  }

  /** The websites whose counting fails. */
  warnings(): Warning[] {
    return this.thread ? this.threadWarnings : this.counting.warnings();
  }

  async stop(): Promise<void> {
    await this.thread?.stop();
  }
}
