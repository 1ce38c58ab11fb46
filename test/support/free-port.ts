import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { errorCode } from '../../engine/ground/error-code';

/** Linux gives clients ports from 32,768 on. Chromium refuses some up to 10,080. */
const [FIRST, LAST] = [10_100, 32_700];

/**
 * A port for a server that starts in a moment.
 * Until then no connection of another test can take it, because it is not one of the ports that clients get.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', (error) =>
      errorCode(error) === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
