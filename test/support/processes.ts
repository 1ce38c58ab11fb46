import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const isLinux = process.platform === 'linux';
/** Linux counts processor time in these. */
const TICKS_PER_SECOND = 100;

/** Linux tells it in files, other systems by a program. */
export function residentMegabytes(pid: number): number {
  return isLinux ? megabytesOf(pid, 'VmRSS') : Number(ps(pid, 'rss')) / 1024;
}

/** The most since its start, which only Linux tells. */
export function mostResidentMegabytes(pid: number): number {
  return megabytesOf(pid, 'VmHWM');
}

/** The processor time of a process, regardless of other load. */
export function cpuSeconds(pid: number): number {
  if (!isLinux)
    return ps(pid, 'time')
      .split(':')
      .reduce((seconds, part) => seconds * 60 + Number(part), 0);
  const [user, system] = statOf(pid).split(' ').slice(11) as [string, string];
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/** Tells whether all of its threads stand still. */
export function isStopped(pid: number): boolean {
  return (isLinux ? statOf(pid) : ps(pid, 'stat')).startsWith('T');
}

function megabytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) / 1024;
}

/** What follows the name of the program, which may contain blanks and brackets. */
function statOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(') ') + 2);
}

function ps(pid: number, field: string): string {
  return execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
}
