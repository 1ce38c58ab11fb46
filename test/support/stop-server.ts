import type { DatabaseServer } from './database-server';

export default async function stop(): Promise<void> {
  const { databaseServer } = globalThis as { databaseServer?: DatabaseServer };
  await databaseServer?.remove();
}
