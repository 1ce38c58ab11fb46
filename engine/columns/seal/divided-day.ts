import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Database } from '../../database/database';
import type { HitColumns, HitRange } from '../batches/batch';
import { DayTexts } from '../ordering/day-texts';
import { type Fragment, type FragmentedDay, readFragments, divideIntoFragments } from '../ordering/fragments';
import { HitBuffer } from '../ordering/hit-buffer';
import { Partition } from '../ordering/partition';
import type { WebsiteTexts } from '../../hits/codes/text-codes';
import type { SegmentWriter } from '../upkeep/column-work';
import type { SealingLimits } from './sealing-memory';

/** The number of fragments that are deflated at the same time. */
const FRAGMENTS_AT_ONCE = 4;

interface UnstoredHits {
  partition: number;
  hits: HitColumns;
}

/**
 * The hits of a day, divided by visitor into partitions. If they exceed the memory, all are written as fragments, so
 * that the day is read once.
 */
export class DividedDay {
  private readonly partition: Partition;
  private readonly fragments: Fragment[][];
  private readonly texts: DayTexts;
  private buffer: HitBuffer;
  private fragmentNumber = 0;

  constructor(
    private readonly database: Database,
    private readonly day: FragmentedDay & { forgetAt: number },
    partitions: number,
    private readonly limits: Pick<SealingLimits, 'bufferBytes' | 'dayTextBytes'>,
    private readonly writer: SegmentWriter,
  ) {
    this.partition = new Partition(partitions);
    this.fragments = Array.from({ length: partitions }, () => []);
    this.texts = new DayTexts(limits.dayTextBytes);
    this.buffer = this.emptyBuffer();
  }

  get partitions(): number {
    return this.partition.partitions;
  }

  /** Tells whether fragments were written. */
  get isStored(): boolean {
    return this.fragmentNumber > 0;
  }

  /** Adds hits of a batch, whose first hit has this place. Returns false if the lease was lost. */
  async add(batch: HitColumns, firstHit: number, range: HitRange): Promise<boolean> {
    const { buffer, texts } = this;
    const isOther = buffer.hits > 0 && buffer.hasHashes !== (batch.hashes !== undefined);
    if (isOther && !(await this.flush())) return false;
    buffer.add(batch, this.partition.of(batch, firstHit), range);
    return !(buffer.isFull(this.limits.bufferBytes) || texts.isFull) || this.flush();
  }

  /** The texts for the hits of one partition. */
  textsOfPartition(): WebsiteTexts {
    return this.texts.ofSome();
  }

  /** Call it after the last hit. Then all hits are in memory, or none. */
  async end(): Promise<boolean> {
    if (!this.isStored) return true;
    if (!(await this.flush())) return false;
    this.buffer = this.emptyBuffer();
    return this.writer.flush();
  }

  /** The hits of a partition in the order in which they were added. */
  async *hitsOf(partition: number): AsyncGenerator<HitColumns> {
    const { database, day, texts } = this;
    if (this.isStored)
      yield* readFragments(database, day, partition, this.fragments[partition]!, texts.known);
    else yield* this.buffer.fragments(partition);
  }

  private emptyBuffer(): HitBuffer {
    return new HitBuffer(this.partitions, this.texts.ofSome().of, this.texts.withTexts);
  }

  private async flush(): Promise<boolean> {
    const { buffer, texts } = this;
    let some: UnstoredHits[] = [];
    for (let partition = 0; partition < this.partitions; partition++)
      for (const hits of buffer.fragments(partition)) {
        some.push({ partition, hits });
        await yieldIfNeeded();
        if (some.length < FRAGMENTS_AT_ONCE) continue;
        if (!(await this.write(some))) return false;
        some = [];
      }
    if (!(await this.write(some))) return false;
    texts.makeRoom();
    buffer.clear(texts.ofSome().of);
    return true;
  }

  private async write(some: UnstoredHits[]): Promise<boolean> {
    const { day, writer } = this;
    const stored = await Promise.all(
      some.map(({ partition, hits }) =>
        divideIntoFragments(day, partition, hits, () => this.fragmentNumber++),
      ),
    );
    for (const { fragment, row, visitors } of stored.flat()) {
      this.fragments[row.part]!.push(fragment);
      if (!(await writer.add([row], day.day)) || !(await writer.addVisitors(visitors))) return false;
    }
    return true;
  }
}
