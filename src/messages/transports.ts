import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';
import { JsonSocket, type MicroserviceOptions, ServerRedis, Transport } from '@nestjs/microservices';
import { bytesOfPool } from '../../engine/ground/memory/memory-limits';
import { withTimeout } from '../../engine/ground/time/timeout';
import { UnreadAnswers } from '../../engine/ground/memory/unread-answers';
import type { RpcAddress } from '../config/rpc-address';
import { MAX_MESSAGE_LENGTH, namedPackets, natsPackets, parsePacket, UNKNOWN_MESSAGE } from './packets';
import { RabbitMqServer } from './rabbitmq-server';
import { USE_CASES } from './use-cases';

const MAX_UNREAD_ANSWERS_BYTES = 16 * 1024 * 1024;
const MAX_LENGTH_DIGITS = 8;
const INCOMPLETE_MS = 10_000;
/** Detects callers whose machine is gone, so that they do not hold a place for ever. */
const IS_ALIVE_MS = 60_000;
/** All processes of the service share the messages. */
const QUEUE_GROUP = 'milepost';
const RECONNECT_MS = 1000;
const CLOSE_WITHIN_MS = 2000;

/** Private state of Nest's socket. */
interface Framing {
  buffer: string;
  /** Null before the next frame. */
  contentLength: number | null;
}

const unread = new UnreadAnswers<Socket>(bytesOfPool('unreadMessages'));

/** Nest's frames with a size limit. Nest would quote a broken frame in the log, including a key. */
class BoundedSocket extends JsonSocket {
  constructor(socket: Socket) {
    super(socket, {
      maxBufferSize: MAX_MESSAGE_LENGTH,
      incompleteMessageTimeout: INCOMPLETE_MS,
      maxSendBufferSize: MAX_UNREAD_ANSWERS_BYTES,
    });
    socket.setKeepAlive(true, IS_ALIVE_MS);
  }

  protected override handleSend(message: unknown, callback?: (error?: unknown) => void): void {
    super.handleSend(message, callback);
    unread.add(this.netSocket, this.netSocket);
  }

  protected override handleData(data: Buffer | string): void {
    super.handleData(data);
    // With each further byte, Nest would search all received bytes for the end of a length.
    const { buffer, contentLength } = this as unknown as Framing;
    if (contentLength !== null || buffer.length <= MAX_LENGTH_DIGITS) return;
    if (!buffer.slice(0, MAX_LENGTH_DIGITS + 1).includes('#')) throw new Error('no length');
  }

  override handleDataError(error: Error): void {
    super.handleDataError(new Error(`a frame was refused: ${error.constructor.name}`), { destroy: true });
  }
}

/** For names that begin like those of messages. Redis counts patterns that differ, and nobody else writes them like this. */
const PATTERNS = Array.from(
  new Set(Object.keys(USE_CASES).map((pattern) => pattern.split('.')[0]!)),
  (family) => `[${family[0]!}]${family.slice(1)}.*`,
);

/** Further unknown messages are not answered meanwhile. */
const UNKNOWN_AT_ONCE = 16;

class BoundedRedis extends ServerRedis {
  private unknown = 0;

  /** Redis does not tell a sender that nobody listens, so that it would wait for ever. */
  override bindEvents(subscriber: Redis, publisher: Redis): void {
    super.bindEvents(subscriber, publisher);
    let isTold = false;
    const tell = ({ message }: Error) => {
      if (!isTold) this.logger.warn(`Unknown messages over Redis are not answered: ${message}`);
      isTold = true;
    };
    subscriber.on('pmessage', (_: string, channel: string, text: string) => {
      // The patterns fit the service's own answers too.
      if (Object.hasOwn(USE_CASES, channel) || channel.endsWith('.reply')) return;
      if (text.length > MAX_MESSAGE_LENGTH || this.unknown >= UNKNOWN_AT_ONCE) return;
      this.unknown++;
      void this.refuseUnknown(channel, text, publisher)
        .catch(tell)
        .finally(() => this.unknown--);
    });
    subscriber.psubscribe(...PATTERNS).catch(tell);
  }

  /** A message that somebody else may listen for, or whose sender waits for no answer, is not for this service. */
  private async refuseUnknown(channel: string, text: string, publisher: Redis): Promise<void> {
    if (!isPacketFor(channel, text)) return;
    const [, listeners, , waiting] = await publisher.pubsub('NUMSUB', channel, `${channel}.reply`);
    if (Number(listeners) > 0 || Number(waiting) === 0) return;
    const patterns = Number(await publisher.pubsub('NUMPAT'));
    if (patterns <= PATTERNS.length) await this.handleMessage(UNKNOWN_MESSAGE, text, publisher, channel);
  }

  /** Nest would wait for ever for a server that no longer answers. */
  override async close(): Promise<void> {
    await withTimeout(CLOSE_WITHIN_MS, super.close()).catch(() => {
      for (const client of [this.pubClient, this.subClient] as Redis[]) client.disconnect();
    });
  }
}

/** As a client of Nest sends it, if it waits for an answer. */
function isPacketFor(channel: string, text: string): boolean {
  try {
    const { id, pattern } = JSON.parse(text) as Record<string, unknown>;
    return typeof id === 'string' && pattern === channel;
  } catch {
    return false;
  }
}

/** While the process ends, messages of brokers are left to other processes. */
export function transportOf(address: RpcAddress, isEnding: () => boolean): MicroserviceOptions {
  switch (address.kind) {
    case 'tcp': {
      const { host, port, tls } = address;
      const socket = { socketClass: BoundedSocket, ...(tls && { tlsOptions: tls }) };
      const options = { host, port, ...socket, deserializer: namedPackets };
      return { transport: Transport.TCP, options };
    }
    case 'nats': {
      const { server, user, password, tls } = address;
      const access = { ...(user && { user }), ...(password && { pass: password }), ...(tls && { tls: {} }) };
      return {
        transport: Transport.NATS,
        options: {
          servers: [server],
          queue: QUEUE_GROUP,
          maxReconnectAttempts: -1,
          reconnectTimeWait: RECONNECT_MS,
          deserializer: natsPackets,
          ...access,
        },
      };
    }
    case 'redis': {
      const { host, port, user, password, db, tls } = address;
      const access = {
        ...(user && { username: user }),
        ...(password && { password }),
        ...(tls && { tls: {} }),
      };
      const retries = { retryAttempts: Number.MAX_SAFE_INTEGER, retryDelay: RECONNECT_MS };
      const server = new BoundedRedis({ host, port, db, ...retries, ...access });
      return { strategy: Object.assign(server, { parseMessage: parsePacket }) };
    }
    case 'amqp':
      return { strategy: new RabbitMqServer(address.url, isEnding) };
  }
}
