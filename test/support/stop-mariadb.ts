import type { MariaDbServer } from './mariadb-server';

export default async function stop(): Promise<void> {
  const { mariaDbServer } = globalThis as { mariaDbServer?: MariaDbServer };
  await mariaDbServer?.remove();
}
