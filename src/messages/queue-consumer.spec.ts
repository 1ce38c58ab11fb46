import { EventEmitter, once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Channel, type ConsumeMessage, IllegalOperationError } from 'amqplib';
import { QueueConsumer } from './queue-consumer';

/** Sends as a channel of amqplib does: it throws what cannot be sent. */
class TestChannel extends EventEmitter {
  readonly acknowledged: ConsumeMessage[] = [];
  isClosing = false;
  private take!: (message: ConsumeMessage) => void;

  assertQueue = () => Promise.resolve();
  prefetch = () => Promise.resolve();
  consume = (_: string, take: (message: ConsumeMessage) => void) => {
    this.take = take;
    return Promise.resolve({ consumerTag: 'consumer' });
  };

  sendToQueue(queue: string): boolean {
    this.refuseIfClosing();
    if (Buffer.byteLength(queue) > 255) throw new TypeError("Field 'routingKey' is the wrong type");
    return true;
  }

  ack(message: ConsumeMessage): void {
    this.refuseIfClosing();
    this.acknowledged.push(message);
    this.emit('acknowledged');
  }

  deliver(replyTo: string | undefined): ConsumeMessage {
    const content = Buffer.from(JSON.stringify({ pattern: 'stats.show', data: {} }));
    const message = { content, properties: { replyTo } } as ConsumeMessage;
    this.take(message);
    return message;
  }

  private refuseIfClosing(): void {
    if (this.isClosing) throw new IllegalOperationError('Connection closing');
  }
}

let channel: TestChannel;
let ends: number;
beforeEach(async () => {
  Logger.overrideLogger(false);
  channel = new TestChannel();
  ends = 0;
  await QueueConsumer.start(channel as unknown as Channel, {
    answer: () => Promise.resolve({ response: {} }),
    isEnding: () => false,
    onEnd: () => void ends++,
  });
});
afterEach(() => void Logger.overrideLogger(true));

it('is done with a message whose answer has no place that can be named', async () => {
  const done = once(channel, 'acknowledged');
  const message = channel.deliver('\ufffd'.repeat(255));
  await done;
  expect([channel.acknowledged, ends]).toEqual([[message], 0]);
});

it.each([['replies'], [undefined]])(
  'leaves a message to others that is answered while the connection closes (reply to %s)',
  async (replyTo) => {
    channel.isClosing = true;
    channel.deliver(replyTo);
    await turn();
    await turn();
    expect([channel.acknowledged, ends]).toEqual([[], 1]);
  },
);
