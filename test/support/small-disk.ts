import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEGABYTE = Buffer.alloc(1024 * 1024);
const PAGE = Buffer.alloc(4096);

/** A disk of a few megabytes, in memory. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /** Undefined if this user may not mount anything. */
  static mount(megabytes: number): SmallDisk | undefined {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', folder], {
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
