import { Readable } from 'node:stream';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import type { ClickhouseAddress } from '../database/hit-settings';
import type { Check } from '../ground/deadline-check';
import { yieldIfNeeded } from '../ground/time/yield-if-needed';
import { HomeAway, PageTooLarge } from '../rows/row-home';

/** Of a request, there and here. The latter also ends what never answers. */
const PATIENCE = { seconds: 20, hereMs: 22_000 };
/** Of an answer. */
export const MOST = { bytes: 64 * 1024 * 1024 };
/** Too many rows or bytes. */
const TOO_LARGE = new Set(['307', '396']);
/**
 * After a request without an answer for so long, questions are refused at once for a while. A question for which others
 * wait ends after 5 seconds.
 */
export const HANGS = { afterMs: 4000, forSeconds: 10 };
/** How often it is asked whether the caller still waits. */
const CHECKED_EVERY_MS = 50;
/** That of `ClickHouseLogLevel.OFF`. */
const SILENT = 127;

/** An answer is whole, or an error: it is sent once the statement has ended. */
const SETTINGS: ClickHouseSettings = {
  wait_end_of_query: 1,
  max_execution_time: PATIENCE.seconds,
  result_overflow_mode: 'throw',
  output_format_json_quote_64bit_integers: 1,
  cancel_http_readonly_queries_on_client_close: 1,
};
/** A replica that lags may not answer. */
const OF_READING: ClickHouseSettings = { select_sequential_consistency: '1' };
/** Rows are stored before they are acknowledged. */
const OF_WRITING: ClickHouseSettings = {
  async_insert: 0,
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
};
/** A removal is not waited for: it takes long with much data, and for ever with a replica that is away. */
const OF_REMOVING: ClickHouseSettings = { lightweight_deletes_sync: '0' };

const ENDS = 'this process ends';

export type Value = string | number | null;

interface Result<Row> {
  readonly data: Row[];
  readonly rows: number;
}

/** Runs statements, whose parameters are numbers. Each error is a `HomeAway`, or what `check` throws. */
export class ClickhouseServer {
  private opening: Promise<ClickHouseClient> | undefined;
  /** Ends each request that has no answer yet. */
  private readonly running = new Set<(reason: Error) => void>();
  private isStopped = false;

  constructor(
    private readonly address: ClickhouseAddress,
    /** In seconds. Threads share it. */
    private readonly hangsUntil: Int32Array = new Int32Array(1),
  ) {}

  /** The rows of a result, each a list of its columns. */
  async query<Row extends unknown[]>(sql: string, check?: Check): Promise<Row[]> {
    return this.ask(check, async (client, abort_signal) => {
      const settings = { ...SETTINGS, ...OF_READING, max_result_bytes: String(MOST.bytes) };
      const result = await client.query({
        query: sql,
        format: 'JSONCompact',
        clickhouse_settings: settings,
        abort_signal,
      });
      const { data, rows } = (await result.json<Result<Row>>()) as unknown as Result<Row>;
      if (data.length !== rows) throw new Error('the answer is not whole');
      return data;
    });
  }

  insert(table: string, columns: readonly string[], values: readonly unknown[][]): Promise<void> {
    return this.ask(undefined, async (client, abort_signal) => {
      await client.insert({
        ...{
          table,
          values: Readable.from(inSteps(values)),
          columns: columns as [string, ...string[]],
          format: 'JSONCompactEachRow',
          abort_signal,
        },
        clickhouse_settings: { ...SETTINGS, ...OF_WRITING },
      });
    });
  }

  run(sql: string): Promise<void> {
    return this.ask(undefined, async (client, abort_signal) => {
      const settings = { ...SETTINGS, ...OF_REMOVING };
      await client.command({ query: sql, clickhouse_settings: settings, abort_signal });
    });
  }

  /** The process ends, and waits for no answer. */
  stop(): void {
    this.isStopped = true;
    for (const end of this.running) end(new Error(ENDS));
  }

  /** Ends the request once `check` throws. */
  private async ask<T>(
    check: Check | undefined,
    work: (client: ClickHouseClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.isStopped) throw this.isAway(new Error(ENDS));
    // Whoever asks would take a thread from other questions.
    if (check && secondsNow() < Atomics.load(this.hangsUntil, 0))
      throw this.isAway(new Error('it did not answer a moment ago'));
    const since = performance.now();
    const ending = new AbortController();
    let reason: unknown;
    const end = (why: unknown) => {
      reason ??= why;
      ending.abort();
    };
    this.running.add(end);
    const late = setTimeout(() => end(new Error('it takes too long')), PATIENCE.hereMs);
    const watch = check && setInterval(() => endIf(check, end), CHECKED_EVERY_MS);
    try {
      return await work(await this.client(), ending.signal);
    } catch (error) {
      if (performance.now() - since > HANGS.afterMs)
        Atomics.store(this.hangsUntil, 0, secondsNow() + HANGS.forSeconds);
      if (check) check();
      const isTooLarge = TOO_LARGE.has((error as { code?: string }).code ?? '');
      throw this.isAway(reason ?? error, isTooLarge ? PageTooLarge : HomeAway);
    } finally {
      this.running.delete(end);
      clearTimeout(late);
      clearInterval(watch);
    }
  }

  private isAway(cause: unknown, Kind = HomeAway): HomeAway {
    return new Kind(`ClickHouse at ${this.address.host}`, cause);
  }

  /** The package is loaded once it is needed, which is never without the setting. */
  private client(): Promise<ClickHouseClient> {
    this.opening ??= this.open().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async open(): Promise<ClickHouseClient> {
    const { createClient } = await import('@clickhouse/client');
    const { tls, host, port, user, password, database } = this.address;
    return createClient({
      url: `${tls ? 'https' : 'http'}://${host}:${port}`,
      ...{ username: user, password, database, application: 'milepost', log: { level: SILENT } },
      request_timeout: PATIENCE.hereMs,
      // A request never finds a connection that the other side has just closed, so none has to be repeated.
      keep_alive: { enabled: false },
    });
  }
}

/** Other work of the process goes on between two rows. */
async function* inSteps<T>(values: readonly T[]): AsyncGenerator<T> {
  for (const value of values) {
    yield value;
    await yieldIfNeeded();
  }
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}

function endIf(check: Check, end: (why: unknown) => void): void {
  try {
    check();
  } catch (error) {
    end(error);
  }
}
