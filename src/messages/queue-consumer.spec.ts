import { EventEmitter, once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Logger } from '@nestjs/common';
import { type Channel, type ConsumeMessage, IllegalOperationError } from 'amqplib';
import { type Answerer, QueueConsumer } from './queue-consumer';

/** Sends as a channel of amqplib does: it throws for content that cannot be sent. */
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
let answer: Answerer;
beforeEach(async () => {
  Logger.overrideLogger(false);
  channel = new TestChannel();
  ends = 0;
  answer = () => Promise.resolve({ response: {} });
  await QueueConsumer.start(channel as unknown as Channel, {
    answer: (...requested) => answer(...requested),
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

it('keeps nothing of what was read of messages that are waited out', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const read: WeakRef<object>[] = [];
  answer = (_, data) => {
    read.push(new WeakRef(data as object));
    return Promise.resolve({ err: { code: 'too_many_requests', retry_after: 60 } });
  };
  for (let sent = 0; sent < 3; sent++) channel.deliver(undefined);
  await turn();
  await turn();
  collectGarbage();
  expect(read.map((data) => data.deref())).toEqual([undefined, undefined, undefined]);
  channel.emit('close');
});
