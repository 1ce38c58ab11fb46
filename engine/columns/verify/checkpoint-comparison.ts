import { isDeepStrictEqual } from 'node:util';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Queryable } from '../../database/rows';
import { CachedHashes } from '../checkpoints/cached-hashes';
import { type Checkpoint, DamagedCheckpoint, directoryIn } from '../checkpoints/checkpoint-format';
import { Checkpoints, type OpenDay } from '../checkpoints/checkpoints';
import { CountedDay } from '../rollups/counted-day';
import type { HitsOfDay } from '../stored-days';
import { type MadeCheckpoint, makeCheckpoint } from '../upkeep/checkpoint-work';

const TABLES = ['checkpoints', 'checkpoint_visitors'] as const;

/**
 * Counts the hits of an open day from the first one on, with the limit of its checkpoints, and compares each checkpoint
 * on the way. There is no snapshot, which would be open for as long as a large day takes. Throws if a checkpoint
 * differs; returns false if one was removed meanwhile.
 */
export async function compareCheckpoints(
  reader: Queryable,
  websiteId: number,
  { day, hits }: HitsOfDay,
): Promise<boolean> {
  const of = { reader, websiteId, day, pause: yieldIfNeeded };
  const checkpoints = await Checkpoints.find(of, hits);
  try {
    return await areOfHits(of, checkpoints);
  } catch (error) {
    if (!(error instanceof DamagedCheckpoint)) throw error;
    const now = await Checkpoints.find(of, checkpoints.hits);
    if (isDeepStrictEqual(now.all, checkpoints.all)) throw error;
    return false;
  }
}

/** False if visitors are forgotten. */
async function areOfHits(of: OpenDay, checkpoints: Checkpoints): Promise<boolean> {
  const [first] = checkpoints.all;
  if (!first) return true;
  const counted = new CountedDay(first.maxValues);
  const hashes = new CachedHashes();
  for (const own of checkpoints.all) {
    const made = await makeCheckpoint(of, own, counted, checkpoints, hashes);
    if (!made) return false;
    await compareRows(checkpoints, own, made);
  }
  return true;
}

async function compareRows(checkpoints: Checkpoints, own: Checkpoint, made: MadeCheckpoint): Promise<void> {
  const directory = made.rows.at(-1)!;
  if (!isDeepStrictEqual(directoryIn(own, directory.data), own)) throw new DamagedCheckpoint(own, 0);
  const rows = new Map(made.rows.map(({ table, piece, data }) => [`${table} ${piece}`, data]));
  for (const table of TABLES)
    for await (const { piece, data } of checkpoints.rows(table, [own]))
      if (!rows.get(`${table} ${piece}`)!.equals(data)) throw new DamagedCheckpoint(own, piece);
}
