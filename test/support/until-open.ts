import { once } from 'node:events';
import { createConnection } from 'node:net';
import { until } from './until';

/** Waits until a port of this machine accepts connections. */
export async function untilOpen(port: number): Promise<void> {
  await until(() => isOpen(port));
}

async function isOpen(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
