import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** So much nicer than others a thread still gets a third of a core that another one wants, too. */
const NICENESS = 5;

/** Has the calling thread give way to others where cores are scarce. Only Linux has priorities of threads. */
export function lowerPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
  } catch {
    // It runs as others do.
  }
}
