import { inSteps } from '../../ground/time/work-in-steps';
import type { Database } from '../../database/database';
import { inPieces, insertAll } from '../../database/rows';
import { readDaysWithHits, countForgottenBatches, HitsRemoved } from '../batches/batches';
import {
  beginCheckpoint,
  type CheckpointKey,
  type CheckpointRow,
  DamagedCheckpoint,
  rowsOfCheckpoint,
} from '../checkpoints/checkpoint-format';
import { CHECKPOINTS } from '../checkpoints/checkpoint-rules';
import {
  checkpointInsertions,
  Checkpoints,
  countOn,
  type OpenDay,
  removeSomeCheckpoints,
} from '../checkpoints/checkpoints';
import { CachedHashes } from '../checkpoints/cached-hashes';
import { readDay } from '../stored-days';
import { readColumnDay } from '../segments/hit-segments';
import { CountedDay } from '../rollups/counted-day';
import { SEALING_LIMITS, SEALING_MEMORY } from '../seal/sealing-memory';
import { BYTES_AT_ONCE, type ColumnTurn, type ColumnWork, pauseIn, TurnEnded, writeIn } from './column-work';

/** A checkpoint that is not stored yet. */
export interface MadeCheckpoint {
  readonly rows: CheckpointRow[];
  /** The moment at which its visitors must be forgotten. */
  readonly forgetAt: number;
}

/** The days that get checkpoints. */
export interface DaysWithCheckpoints {
  /** Days before it are sealed now, which removes checkpoints. */
  readonly from: number;
  readonly maxValues: number;
  /** Days whose counts are too large. */
  readonly tooLarge?: ReadonlySet<number>;
}

class DayTooLarge extends Error {}

/** Writes the next checkpoint of an open day. */
export class CheckpointWork implements ColumnWork {
  /** It moves no hits. */
  readonly days = [];
  /** Tells whether the day gets no further checkpoints, because they do not fit into memory. */
  isTooLarge = false;

  private constructor(
    private readonly database: Database,
    readonly key: CheckpointKey,
    private readonly maxValues: number,
    private readonly bytesAtOnce: number,
  ) {}

  /** Undefined if no day has enough hits behind its last checkpoint, or is eligible. */
  static async next(
    database: Database,
    websiteId: number,
    { from, maxValues, tooLarge }: DaysWithCheckpoints,
    bytesAtOnce = BYTES_AT_ONCE,
  ): Promise<CheckpointWork | undefined> {
    for (const day of await readDaysWithHits(database, websiteId, from, CHECKPOINTS.hits)) {
      if (tooLarge?.has(day)) continue;
      const work = await CheckpointWork.ofDay(database, { websiteId, day }, maxValues, bytesAtOnce);
      if (work) return work;
    }
    return undefined;
  }

  private static async ofDay(
    database: Database,
    { websiteId, day }: Pick<CheckpointKey, 'websiteId' | 'day'>,
    maxValues: number,
    bytesAtOnce: number,
  ): Promise<CheckpointWork | undefined> {
    const { hits, columns } = await readDay(database, websiteId, day);
    if (columns) return undefined;
    if ((await countForgottenBatches(database, websiteId, day)) > 0) return undefined;
    const of = { reader: database, websiteId, day, pause: () => Promise.resolve() };
    const { hits: firstHit } = await Checkpoints.find(of, hits, maxValues);
    const key = { websiteId, day, firstHit, size: CHECKPOINTS.hits };
    if (hits < firstHit + key.size) return undefined;
    return new CheckpointWork(database, key, maxValues, bytesAtOnce);
  }

  /** The place after its last hit. */
  private get end(): number {
    return this.key.firstHit + this.key.size;
  }

  async run(turn: ColumnTurn): Promise<void> {
    try {
      await SEALING_MEMORY.takeDuring(SEALING_LIMITS.largestBytes, turn.goOn, () => this.make(turn));
    } catch (error) {
      if (error instanceof DayTooLarge) {
        this.isTooLarge = true;
        return;
      }
      const isGone = error instanceof HitsRemoved || error instanceof DamagedCheckpoint;
      if (error instanceof TurnEnded || (isGone && !(await this.isOpen()))) return;
      throw error instanceof HitsRemoved ? error.asDamage() : error;
    }
  }

  private async make(turn: ColumnTurn): Promise<void> {
    const { database, key, maxValues, end } = this;
    await this.removeLeftovers(turn);
    const counted = new CountedDay(maxValues);
    const pause = pauseIn(turn);
    const checkedPause = async () => {
      if (counted.bytes > CHECKPOINTS.countedBytes) throw new DayTooLarge();
      await pause();
    };
    const of = { ...key, reader: database, pause: checkedPause };
    const checkpoints = (await Checkpoints.find(of, end, maxValues)).before(key.firstHit);
    if (checkpoints.hits !== key.firstHit) return;
    await checkpoints.addTo(counted, 'texts');
    const made = await makeCheckpoint(of, key, counted, checkpoints);
    if (made) await this.write(turn, made);
  }

  /** Removes rows of a checkpoint that another process did not finish. */
  private async removeLeftovers(turn: ColumnTurn): Promise<void> {
    for (let isDone = false; !isDone;)
      await writeIn(turn, async (manager) => {
        isDone = await removeSomeCheckpoints(manager, this.key, this.key.firstHit, this.bytesAtOnce);
      });
  }

  /** The directory is written last. */
  private async write(turn: ColumnTurn, { rows, forgetAt }: MadeCheckpoint): Promise<void> {
    for (const some of inPieces(rows, Infinity, this.bytesAtOnce, ({ data }) => data.length))
      await writeIn(turn, async (manager) => {
        const isSealed = (await readColumnDay(manager, this.key.websiteId, this.key.day)) !== undefined;
        if (isSealed || Date.now() >= forgetAt) throw new TurnEnded();
        await insertAll(manager, checkpointInsertions(this.key, some, forgetAt));
      });
  }

  private async isOpen(): Promise<boolean> {
    const { websiteId, day } = this.key;
    const { hits, columns } = await readDay(this.database, websiteId, day);
    return !columns && hits >= this.end;
  }
}

/** Counts the hits of a checkpoint. `counted` has the texts before it. Undefined if visitors are forgotten. */
export async function makeCheckpoint(
  of: OpenDay,
  key: CheckpointKey,
  counted: CountedDay,
  checkpoints: Checkpoints,
  hashes?: CachedHashes,
): Promise<MadeCheckpoint | undefined> {
  const before = beginCheckpoint(counted);
  const forgetAt = await countOn(of, counted, key.firstHit + key.size, checkpoints, hashes);
  if (counted.isForgotten) return undefined;
  return { rows: await inSteps(rowsOfCheckpoint(key, before, counted), of.pause), forgetAt };
}
