import { once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Channel, ConsumeMessage } from 'amqplib';
import { namedPackets, parsePacket } from './packets';

/** All processes of the service share its messages. */
const QUEUE = 'milepost';
/** The number of messages of a consumer. Others wait in the queue. */
const PREFETCH = 64;
/** Each consumer may hold its full number of messages that wait for a retry. */
const MAX_CONSUMERS = 16;
/** By default RabbitMQ closes a channel with a message that is not acknowledged for half an hour. */
const MAX_WAIT_S = 600;
const NOTHING = Buffer.alloc(0);

export interface MessageRefusal {
  code?: string;
  /** In seconds, if a retry makes sense. */
  retry_after?: number;
}

type Answer = { response: unknown } | { err: MessageRefusal };

export type Answerer = (
  pattern: string,
  data: unknown,
  message: ConsumeMessage,
  channel: Channel,
) => Promise<Answer>;

interface Options {
  answer: Answerer;
  /** While the process ends, new messages are left to others. */
  isEnding: () => boolean;
  /** The broker closed the queue or the channel. */
  onEnd: () => void;
}

/**
 * Receives the messages of a channel. Each is acknowledged after its answer, so the messages of a lost connection are
 * delivered again.
 */
export class QueueConsumer {
  private readonly log = new Logger('RabbitMQ');
  private readonly closed = new AbortController();
  /** Resolves when the broker accepts more data. */
  private room: Promise<unknown> | undefined;
  /** The tags of the consumers. */
  private readonly consumers: string[] = [];
  private changing: Promise<void> = Promise.resolve();
  private waitedOut = 0;

  private constructor(
    private readonly channel: Channel,
    private readonly options: Options,
  ) {
    // Each waiting message listens, including those of cancelled consumers, and the wait for room does.
    setMaxListeners(2 * MAX_CONSUMERS * PREFETCH + 1, this.closed.signal);
  }

  static async start(channel: Channel, options: Options): Promise<void> {
    const consumer = new QueueConsumer(channel, options);
    channel.on('error', ({ message }: Error) => consumer.log.error(message));
    channel.once('close', () => {
      consumer.closed.abort();
      options.onEnd();
    });
    await channel.assertQueue(QUEUE, { durable: true });
    await channel.prefetch(PREFETCH);
    await consumer.changeConsumers();
  }

  /** A waiting message keeps its place, so there are more consumers while many wait. */
  private async changeConsumers(): Promise<void> {
    const { channel, consumers, options } = this;
    const wanted = Math.min(1 + Math.round(this.waitedOut / PREFETCH), MAX_CONSUMERS);
    while (consumers.length > wanted && !this.isLost) await channel.cancel(consumers.pop()!);
    while (consumers.length < wanted && !this.isLost) {
      const take = (message: ConsumeMessage | null) => (message ? void this.take(message) : options.onEnd());
      consumers.push((await channel.consume(QUEUE, take)).consumerTag);
    }
  }

  private adjustConsumers(): void {
    this.changing = this.changing.then(() => this.changeConsumers()).catch(() => this.options.onEnd());
  }

  private async take(message: ConsumeMessage): Promise<void> {
    try {
      await this.settle(message);
    } catch (error) {
      // Nothing is sent while a connection closes. Its messages are delivered again.
      this.log.error(`A message was not acknowledged: ${(error as Error).message}`);
      this.options.onEnd();
    }
  }

  private async settle(message: ConsumeMessage): Promise<void> {
    const { replyTo } = message.properties as { replyTo?: string };
    const { pattern, answer } = await this.answer(message);
    if (!answer) return;
    const isToComeAgain = !replyTo && 'err' in answer && (await this.waitOut(answer.err));
    if (this.isLost) return;
    if (isToComeAgain) return this.channel.nack(message, false, true);
    if (replyTo) this.reply(pattern, replyTo, message, answer);
    else if ('err' in answer) this.log.warn(`${pattern} without reply_to was refused: ${answer.err.code}`);
    this.channel.ack(message);
  }

  /** The content is freed first: a thousand messages may wait. Undefined if the message is left to others. */
  private async answer(message: ConsumeMessage): Promise<{ pattern: string; answer: Answer | undefined }> {
    const { pattern, data } = namedPackets.deserialize(parsePacket(message.content));
    // The wait is counted with the size of the content.
    message.content = NOTHING;
    message.properties.headers = {};
    await this.room;
    if (this.isLost || this.options.isEnding()) return { pattern, answer: undefined };
    return { pattern, answer: await this.options.answer(pattern, data, message, this.channel) };
  }

  /** The broker gives an unacknowledged message to others. */
  private get isLost(): boolean {
    return this.closed.signal.aborted;
  }

  /** Without a reply address, nobody sees a refusal, so a temporary one is waited out. */
  private async waitOut({ retry_after: seconds }: MessageRefusal): Promise<boolean> {
    if (seconds === undefined) return false;
    this.waitedOut++;
    this.adjustConsumers();
    const waitMs = 1000 * Math.min(seconds, MAX_WAIT_S);
    await sleep(waitMs, undefined, { signal: this.closed.signal, ref: false }).catch(() => undefined);
    this.waitedOut--;
    this.adjustConsumers();
    return true;
  }

  private reply(pattern: string, to: string, { properties }: ConsumeMessage, answer: Answer): void {
    const { correlationId } = properties as { correlationId?: string };
    const content = Buffer.from(JSON.stringify({ ...answer, isDisposed: true }));
    try {
      const hasRoom = this.channel.sendToQueue(to, content, { correlationId });
      if (!hasRoom) this.room ??= this.waitForRoom();
    } catch (error) {
      // Invalid UTF-8 becomes longer when it is decoded, so a name may be too long to send.
      if (!(error instanceof TypeError)) throw error;
      this.log.warn(`The answer to ${pattern} cannot be sent: ${error.message}`);
    }
  }

  private async waitForRoom(): Promise<void> {
    await once(this.channel, 'drain', { signal: this.closed.signal }).catch(() => undefined);
    this.room = undefined;
  }
}
