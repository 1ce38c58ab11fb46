import type { Socket } from 'node:net';
import { JsonSocket, type MicroserviceOptions, Transport } from '@nestjs/microservices';
import type { RpcAddress } from '../config/rpc-address';

/** As NATS has it by default. */
const MAX_MESSAGE_CHARACTERS = 1024 * 1024;
const MAX_UNREAD_ANSWERS_BYTES = 16 * 1024 * 1024;
const INCOMPLETE_MS = 10_000;
/** All processes of the service share the messages of a broker that can do so. */
const QUEUE = 'milepost';
const RECONNECT_MS = 1000;

/** Nest's frames, bounded. Nest would quote a broken frame in the log, and with it a key. */
class BoundedSocket extends JsonSocket {
  constructor(socket: Socket) {
    super(socket, {
      maxBufferSize: MAX_MESSAGE_CHARACTERS,
      incompleteMessageTimeout: INCOMPLETE_MS,
      maxSendBufferSize: MAX_UNREAD_ANSWERS_BYTES,
    });
  }

  override handleDataError(error: Error): void {
    super.handleDataError(new Error(`a frame was refused: ${error.constructor.name}`), { destroy: true });
  }
}

export function transportOf(address: RpcAddress): MicroserviceOptions {
  switch (address.kind) {
    case 'tcp': {
      const { host, port, tls } = address;
      const options = { host, port, socketClass: BoundedSocket, ...(tls && { tlsOptions: tls }) };
      return { transport: Transport.TCP, options };
    }
    case 'nats': {
      const { server, user, password, tls } = address;
      const access = { ...(user && { user }), ...(password && { pass: password }), ...(tls && { tls: {} }) };
      return {
        transport: Transport.NATS,
        options: {
          servers: [server],
          queue: QUEUE,
          maxReconnectAttempts: -1,
          reconnectTimeWait: RECONNECT_MS,
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
      return {
        transport: Transport.REDIS,
        options: {
          host,
          port,
          db,
          retryAttempts: Number.MAX_SAFE_INTEGER,
          retryDelay: RECONNECT_MS,
          ...access,
        },
      };
    }
    case 'amqp':
      return {
        transport: Transport.RMQ,
        options: { urls: [address.url], queue: QUEUE, queueOptions: { durable: true } },
      };
  }
}
