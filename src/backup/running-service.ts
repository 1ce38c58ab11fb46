import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress } from '../../engine/database/connections/address';
import { countOtherConnections } from '../../engine/database/connections/snapshot';
import { CommandError } from '../../engine/ground/errors';
import type { Settings } from '../config/settings';

const ANSWER_MS = 2000;
/** A process without requests closes connections after some seconds, and opens others. */
const LOOKS = 6;
const BETWEEN_LOOKS_MS = 500;
const ALL_INTERFACES = new Set(['0.0.0.0', '::']);

/** Refuses to fill a database while a process of the service may use it. */
export async function refuseRunningService(
  { host, port }: Pick<Settings, 'host' | 'port'>,
  database: DatabaseAddress,
): Promise<void> {
  const shown = ALL_INTERFACES.has(host) ? '127.0.0.1' : host;
  const address = `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
  if (await isAnswering(address)) throw new CommandError(`the service runs at ${address}; stop it first`);
  if (database.kind === 'sqlite') return;
  // A connection of this process may be there for a moment after its end.
  for (let look = 0, seen = 0; look < LOOKS; look++) {
    const others = await countOtherConnections(database);
    seen = others > 0 ? seen + 1 : 0;
    if (seen === 2)
      throw new CommandError(
        `other processes use the database (${others} connections); stop the service first`,
      );
    await sleep(BETWEEN_LOOKS_MS);
  }
}

/** Other programs may listen there. */
async function isAnswering(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/health/live`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const body = (await answer.json()) as { status?: string };
    return answer.headers.has('x-request-id') && body.status === 'ok';
  } catch {
    return false;
  }
}
