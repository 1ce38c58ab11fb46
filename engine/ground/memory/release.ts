import { MessageChannel } from 'node:worker_threads';

/**
 * Smaller buffers are not worth it, and may belong to several values: mysql2 takes values from the chunks of a socket,
 * of 64 KiB, unless a row is larger. With its compression, chunks would be larger.
 */
const LARGE_BYTES = 128 * 1024;

const { port1: nowhere, port2: closed } = new MessageChannel();
closed.close();
nowhere.unref();

/**
 * Frees the memory of a large list, and with it all views of its buffer, which are empty afterwards. Until garbage is
 * collected, such memory adds up, and collecting it soon costs more than the work between.
 */
export function release({ buffer }: ArrayBufferView): void {
  // A message takes its buffers along. At a closed port, both are gone.
  if (buffer.byteLength >= LARGE_BYTES) nowhere.postMessage(undefined, [buffer as ArrayBuffer]);
}
