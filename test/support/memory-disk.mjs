import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY_DISK = '/dev/shm';
const BYTES_FOR_DATABASES = 4 * 1024 ** 3;
/** The processes of tests and their servers take memory beside the databases. */
const BYTES_FOR_PROCESSES = 4 * 1024 ** 3;
const FOLDER = /^milepost-run-(\d+)$/;

/**
 * Makes a folder in memory for all files of this run, which removes it when it ends. Undefined if there is too little
 * memory.
 */
export function folderInMemory() {
  if (!existsSync(MEMORY_DISK)) return undefined;
  for (const name of readdirSync(MEMORY_DISK)) {
    const [, run] = FOLDER.exec(name) ?? [];
    if (run && !isRunning(Number(run))) remove(join(MEMORY_DISK, name));
  }
  const { bavail, bsize } = statfsSync(MEMORY_DISK);
  if (bavail * bsize < BYTES_FOR_DATABASES || freemem() < BYTES_FOR_DATABASES + BYTES_FOR_PROCESSES)
    return undefined;
  const folder = join(MEMORY_DISK, `milepost-run-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  process.on('exit', () => remove(folder));
  return folder;
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch ({ code }) {
    return code === 'EPERM';
  }
}

/** Includes the small disks of tests that were killed. What belongs to another user stays. */
function remove(folder) {
  try {
    const disks = readdirSync(folder).filter((name) => name.startsWith('milepost-disk-'));
    for (const name of disks) spawnSync('umount', [join(folder, name)], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  } catch {
    return;
  }
}
