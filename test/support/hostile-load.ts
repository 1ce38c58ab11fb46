import { Agent, request } from 'node:http';

const CONNECTIONS = 32;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

export interface Sent {
  path: string;
  body: Buffer | string;
  headers?: Record<string, string>;
}

/** Sends one request and returns the status of its answer. */
export function sendOne(address: string, { path, body, headers }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(address + path, { method: 'POST', agent, headers: { ...headers } }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode!));
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Sends all requests over a fixed number of connections. Returns the number of answers by status. */
export async function sendAll(
  address: string,
  requests: Iterator<Sent>,
  { connections = CONNECTIONS, sendIt = sendOne } = {},
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const sendSome = async () => {
    for (let next = requests.next(); !next.done; next = requests.next()) {
      const status = await sendIt(address, next.value);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendSome));
  return statuses;
}
