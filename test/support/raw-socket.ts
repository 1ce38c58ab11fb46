import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection for data that no client library would send. */
export class RawSocket {
  readonly closed: Promise<void>;
  answer = '';
  private readonly socket: Socket;

  constructor(address: string) {
    this.socket = connect(Number(new URL(address).port), '127.0.0.1');
    this.socket.on('data', (data) => (this.answer += String(data)));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.on('close', () => resolve()));
  }

  write(text: string): void {
    this.socket.write(text);
  }

  /** Writes until the other side closes; returns the number of bytes that it accepted. */
  async flood(chunk: Buffer, maxBytes: number): Promise<number> {
    while (!this.socket.destroyed && this.socket.bytesWritten < maxBytes) {
      if (this.socket.write(chunk)) await new Promise(setImmediate);
      else await Promise.race([new Promise((resolve) => this.socket.once('drain', resolve)), this.closed]);
    }
    return this.socket.bytesWritten - this.socket.writableLength;
  }

  async untilAnswered(): Promise<void> {
    while (!this.answer.includes('\r\n\r\n') && !this.socket.destroyed)
      await Promise.race([once(this.socket, 'data'), this.closed]);
  }

  end(): void {
    this.socket.destroy();
  }
}
