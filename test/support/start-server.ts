import { DatabaseServer } from './database-server';

export default async function start(): Promise<void> {
  if (process.env.TEST_DATABASE_URL) return;
  const server = await new DatabaseServer().start();
  process.env.TEST_DATABASE_URL = server.url;
  Object.assign(globalThis, { databaseServer: server });
}
