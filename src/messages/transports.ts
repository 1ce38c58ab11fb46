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

/** The first parts of the names of messages. */
const FAMILIES = new Set(Object.keys(USE_CASES).map((pattern) => pattern.split('.')[0]!));

class BoundedRedis extends ServerRedis {
  /** Redis does not tell a sender that nobody listens, so that it would wait for ever. */
  override bindEvents(subscriber: Redis, publisher: Redis): void {
    super.bindEvents(subscriber, publisher);
    subscriber.on('pmessage', (_: string, channel: string, text: string) => {
      this.refuseUnknown(channel, text, publisher).catch((error: Error) => this.handleError(error.message));
    });
    void subscriber.psubscribe(...[...FAMILIES].map((family) => `${family}.*`));
  }

  /** A message that somebody else listens for is theirs. */
  private async refuseUnknown(channel: string, text: string, publisher: Redis): Promise<void> {
    if (Object.hasOwn(USE_CASES, channel) || channel.endsWith('.reply')) return;
    const [, listeners] = await publisher.pubsub('NUMSUB', channel);
    if (Number(listeners) === 0) await this.handleMessage(UNKNOWN_MESSAGE, text, publisher, channel);
  }

  /** Nest would wait for ever for a server that no longer answers. */
  override async close(): Promise<void> {
    await withTimeout(CLOSE_WITHIN_MS, super.close()).catch(() => {
      for (const client of [this.pubClient, this.subClient] as Redis[]) client.disconnect();
    });
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
