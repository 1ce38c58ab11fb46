import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Enough for a server with the options below. */
const SIZE = '160m';
const MEGABYTE = Buffer.alloc(1024 * 1024);
const PAGE = Buffer.alloc(4096);

/** Options of a server whose files are on such a disk. */
export const SMALL_FILES = [
  '--loose-innodb-log-file-size=4M',
  '--innodb-buffer-pool-size=16M',
  '--loose-innodb-redo-log-capacity=8M',
  '--innodb-temp-data-file-path=ibtmp1:12M:autoextend',
  '--skip-log-bin',
];

/** A disk of a few megabytes, in memory. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /** Undefined if this user may not mount anything. */
  static mount(size = SIZE): SmallDisk | undefined {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=777`, 'tmpfs', folder], {
        stdio: 'pipe',
      });
      return new SmallDisk(folder);
    } catch {
      rmSync(folder, { recursive: true });
      return undefined;
    }
  }

  /** Leaves no free byte. */
  fill(): void {
    const file = openSync(this.ballast, 'w');
    for (const chunk of [MEGABYTE, PAGE])
      try {
        while (writeSync(file, chunk) > 0);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    closeSync(file);
  }

  free(): void {
    rmSync(this.ballast);
  }

  unmount(): void {
    execFileSync('umount', [this.folder]);
    rmSync(this.folder, { recursive: true });
  }

  private get ballast(): string {
    return join(this.folder, 'ballast');
  }
}

/** Describes tests on such a disk, which are skipped if this user may not mount one. */
export function describeOnDisk(name: string, tests: (disk: SmallDisk) => void): void {
  const disk = SmallDisk.mount();
  const describeTests = disk ? describe : describe.skip;
  describeTests(name, () => {
    afterAll(() => disk?.unmount());
    tests(disk!);
  });
}
