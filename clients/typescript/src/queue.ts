import { MilepostError, NoAnswer } from './errors.ts';
import { onExit } from './exit.ts';
import type { EventVerdict } from './operations.ts';
import { type CallOptions, unlessAborted } from './request.ts';
import { uuid } from './uuid.ts';

/**
 * `full`: no room; `closed`: added after the end; the verdict of a rejected event; or the error of a request, or of
 * JSON about what JSON cannot hold.
 */
export type LostReason = 'full' | 'closed' | EventVerdict | Error;

export interface QueueOptions<E> {
  /** Called with lost events. Events that the website's rules drop are not lost. */
  onLost?: (events: E[], reason: LostReason) => void;
  /** The longest delay of an event to fill a batch; default 1,000. */
  delayMs?: number;
  /** The maximum number of waiting events; default 10,000. */
  maxEvents?: number;
  /** Their maximum size as JSON; default 8 MiB. */
  maxBytes?: number;
}

interface Waiting<E> {
  event: E;
  bytes: number;
}

type Added = { id?: string; occurred_at?: string };
/** Sends a batch. Servers get a verdict for each event. */
type Send<E> = (events: E[], options: { keepalive: boolean }) => Promise<EventVerdict[] | void>;

const BATCH_EVENTS = 500;
const BATCH_BYTES = 1024 * 1024;
/** Browsers allow 64 KiB in total for requests that outlive their page. */
const LAST_BYTES = 60_000;
const MAX_PAUSE_MS = 60_000;

/** Holds events until they are acknowledged, and retries with the same ids after a failure. */
export class EventQueue<E extends object> {
  private waiting: Waiting<E>[] = [];
  private bytes = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sending: Promise<void> | undefined;
  private failures = 0;
  private isClosed = false;
  private readonly forgetExit: () => void;
  private readonly encoder = new TextEncoder();
  private readonly send: Send<E>;
  private readonly isServer: boolean;
  private readonly options: QueueOptions<E>;

  constructor(send: Send<E>, isServer: boolean, options: QueueOptions<E>) {
    this.send = send;
    this.isServer = isServer;
    this.options = options;
    this.forgetExit = onExit({
      ends: () => void this.flush().catch((error: Error) => this.remove(this.waiting, error)),
      leaves: () => this.sendLast(),
    });
  }

  /** The number of events without an answer. */
  get size(): number {
    return this.waiting.length;
  }

  /** Adds an event if there is room and JSON can hold it. A missing `id`, and for servers `occurred_at`, is set. */
  add(event: Omit<E, 'id'> & Added): boolean {
    let text: string;
    try {
      const own = this.isServer ? { occurred_at: new Date().toISOString() } : {};
      text = JSON.stringify({ id: uuid(), ...own, ...event });
    } catch (error) {
      this.options.onLost?.([event as unknown as E], error as Error);
      return false;
    }
    const bytes = this.encoder.encode(text).length;
    // The caller may change the parts of an event later.
    const complete = JSON.parse(text) as E;
    if (this.isClosed || !this.hasRoomFor(bytes)) {
      this.options.onLost?.([complete], this.isClosed ? 'closed' : 'full');
      return false;
    }
    this.waiting.push({ event: complete, bytes });
    this.bytes += bytes;
    const hasBatch = this.waiting.length % BATCH_EVENTS === 0 && this.failures === 0;
    this.schedule(hasBatch ? 0 : this.options.delayMs);
    return true;
  }

  private hasRoomFor(bytes: number): boolean {
    const { maxEvents = 10_000, maxBytes = 8 * 1024 * 1024 } = this.options;
    return this.waiting.length < maxEvents && this.bytes + bytes <= maxBytes;
  }

  /** Sends all waiting events now. Throws if they cannot be sent; they stay and are retried. */
  async flush({ signal }: CallOptions = {}): Promise<void> {
    const last = this.waiting.at(-1);
    while (last && this.waiting.includes(last)) {
      this.sending ??= this.sendNext().finally(() => (this.sending = undefined));
      await unlessAborted(this.sending, signal);
    }
  }

  /** Sends the waiting events and accepts no more. If they cannot be sent, they are lost and the error is thrown. */
  async close(options?: CallOptions): Promise<void> {
    this.isClosed = true;
    try {
      await this.flush(options);
    } catch (error) {
      this.remove(this.waiting, error as Error);
      throw error;
    } finally {
      this.forgetExit();
      clearTimeout(this.timer);
    }
  }

  private schedule(ms = 1000): void {
    if (ms === 0) clearTimeout(this.timer);
    else if (this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.flush().catch((error: Error) => this.isClosed || this.schedule(this.pauseAfter(error)));
    }, ms);
    // A process with nothing else to do may end; waiting events are sent then.
    (this.timer as { unref?: () => void }).unref?.();
  }

  private pauseAfter(error: Error): number {
    const { retryAfter = 2 ** this.failures } = error as { retryAfter?: number };
    return Math.min(MAX_PAUSE_MS, 1000 * Math.max(1, retryAfter));
  }

  private sendNext(): Promise<void> {
    return this.sendBatch(this.first(BATCH_BYTES).slice(0, this.isServer ? BATCH_EVENTS : 1), false);
  }

  /** Sends without waiting, because nothing may run afterwards. Events in transit are sent again and counted once. */
  private sendLast(): void {
    const last = this.first(LAST_BYTES);
    const batches = this.isServer ? [last.slice(0, BATCH_EVENTS)] : last.map((one) => [one]);
    for (const batch of batches) if (batch.length > 0) this.sendBatch(batch, true).catch(() => undefined);
  }

  private async sendBatch(batch: Waiting<E>[], keepalive: boolean): Promise<void> {
    const events = batch.map(({ event }) => event);
    let verdicts: EventVerdict[] | void;
    try {
      verdicts = await this.send(events, { keepalive });
    } catch (error) {
      if (!isPassing(error)) return this.remove(batch, error as Error);
      this.failures++;
      throw error;
    }
    this.failures = 0;
    this.remove(batch);
    verdicts?.forEach((verdict, index) => {
      if (verdict.status === 'rejected') this.options.onLost?.([events[index]!], verdict);
    });
  }

  /** The first events within a size limit, but at least one. */
  private first(maxBytes: number): Waiting<E>[] {
    let bytes = 0;
    const end = this.waiting.findIndex((one, index) => (bytes += one.bytes + 1) > maxBytes && index > 0);
    return end < 0 ? this.waiting : this.waiting.slice(0, end);
  }

  /** Some may already be removed, after another request. */
  private remove(batch: Waiting<E>[], reason?: Error): void {
    const done = new Set(batch);
    const removed = this.waiting.filter((one) => done.has(one));
    this.waiting = this.waiting.filter((one) => !done.has(one));
    for (const { bytes } of removed) this.bytes -= bytes;
    const events = removed.map(({ event }) => event);
    if (reason && events.length > 0) this.options.onLost?.(events, reason);
  }
}

/** Tells whether a retry may succeed. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof MilepostError || error instanceof NoAnswer)) return false;
  const { status = 0 } = error;
  return status < 400 || status >= 500 || status === 408 || status === 429;
}
