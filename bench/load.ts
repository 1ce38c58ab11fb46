import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './service';

/** `batch` is the route for servers, with 100 events per request; the others are events of browsers. */
export type Kind = 'id' | 'random' | 'plain' | 'batch';
export const EVENTS_PER_BATCH = 100;

export interface Load {
  /** Requests, answered with 202. */
  accepted: number;
  /** Requests per second. */
  rate: number;
  p50: number;
  p99: number;
  failed: number;
}

export interface LoadOptions {
  seconds: number;
  connections?: number;
  eventsPerSecond?: number;
  key?: string;
  /** The number of websites; default one. */
  websites?: number;
}

let runs = 0;

/** Sends events at the highest rate, unless a rate is given. */
export async function load(address: string, kind: Kind, options: LoadOptions): Promise<Load> {
  const { seconds, connections = 64, eventsPerSecond, key, websites } = options;
  const own = [kind, String(runs++), ...(eventsPerSecond ? [String(eventsPerSecond)] : [])];
  return (await wrk('load.lua', address, own, { seconds, connections, key, websites })) as Load;
}

/** Requests paths in turn over 16 connections; returns the answers per second. */
export async function rateOf(address: string, paths: string[], key: string): Promise<number> {
  const { rate } = (await wrk('get.lua', address, paths, { seconds: 8, connections: 16, key })) as {
    rate: number;
  };
  return Math.round(rate);
}

interface WrkOptions {
  seconds: number;
  connections: number;
  key: string | undefined;
  websites?: number | undefined;
}

/** A load generator in C: one in JavaScript would use as much of the cores as the service. Its last output is JSON. */
async function wrk(
  script: string,
  address: string,
  own: string[],
  { seconds, connections, key = '', websites }: WrkOptions,
): Promise<unknown> {
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', join(ROOT, 'bench', script)];
  const environment = {
    env: { ...process.env, KEY: key, ...(websites !== undefined && { WEBSITES: String(websites) }) },
  };
  try {
    const { stdout } = await promisify(execFile)('wrk', [...options, address, '--', ...own], environment);
    return JSON.parse(stdout.trim().split('\n').at(-1)!);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('wrk is missing: install it with apt-get install wrk', { cause: error });
  }
}
