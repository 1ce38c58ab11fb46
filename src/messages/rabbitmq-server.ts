import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CustomTransportStrategy, RmqContext, Server, Transport } from '@nestjs/microservices';
import type { ChannelModel } from 'amqplib';
import { lastValueFrom, type Observable } from 'rxjs';
import { withTimeout } from '../../engine/ground/time/timeout';
import { type Answerer, QueueConsumer, type MessageRefusal } from './queue-consumer';

const CONNECT_WITHIN_MS = 10_000;
const CLOSE_WITHIN_MS = 2000;
const RECONNECT_MS = 1000;
/** A connection that is silent for twice this time is lost. A busy machine may be silent for some seconds. */
const HEARTBEAT_S = 30;

/**
 * Listens through RabbitMQ. If a connection ends, Nest's own server loses the messages that it has received but not
 * answered.
 */
export class RabbitMqServer extends Server implements CustomTransportStrategy {
  override transportId = Transport.RMQ;
  private readonly closing = new AbortController();
  private connection: ChannelModel | undefined;

  constructor(
    private readonly url: string,
    private readonly isEnding: () => boolean,
  ) {
    super();
  }

  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      void this.stayConnected((await this.connect()).ended);
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** Unanswered messages go to another process. */
  async close(): Promise<void> {
    this.closing.abort();
    const { connection } = this;
    if (!connection) return;
    // A broker that does not answer would delay the end until the heartbeat fails.
    await withTimeout(CLOSE_WITHIN_MS, connection.close()).catch((error: Error) =>
      destroy(connection, error),
    );
  }

  on(): void {
    throw new Error('RabbitMqServer has no events');
  }

  unwrap<T>(): T {
    return this.connection as T;
  }

  private async stayConnected(ended: Promise<unknown>): Promise<void> {
    for (;;) {
      const error = await ended;
      this.connection = undefined;
      if (this.isClosing) return;
      this.logger.error(`The connection to RabbitMQ ended: ${reasonOf(error)}`);
      const again = await this.connectAgain();
      if (!again) return;
      this.logger.log('Connected to RabbitMQ again');
      ended = again.ended;
    }
  }

  private async connectAgain(): Promise<{ ended: Promise<unknown> } | undefined> {
    for (let failure = ''; !this.isClosing;) {
      await sleep(RECONNECT_MS, undefined, { signal: this.closing.signal, ref: false }).catch(
        () => undefined,
      );
      if (this.isClosing) return;
      try {
        return await this.connect();
      } catch (error) {
        if (reasonOf(error) !== failure) this.logger.error(`RabbitMQ cannot be reached: ${reasonOf(error)}`);
        failure = reasonOf(error);
      }
    }
    return undefined;
  }

  /** Receives messages. `ended` resolves after the connection ended, with its error if any. */
  private async connect(): Promise<{ ended: Promise<unknown> }> {
    const { connect } = await import('amqplib');
    const connection = await connect(withHeartbeat(this.url), { timeout: CONNECT_WITHIN_MS });
    this.connection = connection;
    const ended = new Promise((resolve) => connection.once('close', resolve));
    // The following end reports it.
    connection.on('error', () => undefined);
    const end = () => void connection.close().catch(() => undefined);
    if (this.isClosing) end();
    try {
      const channel = await connection.createChannel();
      await QueueConsumer.start(channel, { answer: this.answer, isEnding: this.isEnding, onEnd: end });
    } catch (error) {
      end();
      throw error;
    }
    return { ended };
  }

  private readonly answer: Answerer = async (pattern, data, message, channel) => {
    const context = new RmqContext([message, channel, pattern]);
    const handle = this.getHandlerByPattern(pattern)!;
    try {
      const response: unknown = await lastValueFrom(
        this.transformToObservable(await handle(data, context)) as Observable<unknown>,
      );
      return { response };
    } catch (err) {
      return { err: err as MessageRefusal };
    }
  };

  private get isClosing(): boolean {
    return this.closing.signal.aborted;
  }
}

function withHeartbeat(address: string): string {
  const url = new URL(address);
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_S));
  return url.href;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it was closed';
}

/** Uses a member that the types of amqplib lack. Without an error, the heartbeat would continue. */
function destroy({ connection }: ChannelModel, error: Error): void {
  (connection as unknown as { stream: Duplex }).stream.destroy(error);
}
