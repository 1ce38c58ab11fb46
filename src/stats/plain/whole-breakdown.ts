import type { EntityManager } from 'typeorm';
import { NotFound, Problem } from '../../common/problem';
import { inSteps } from '../../common/steps';
import { closedDays } from '../../storage/closed-days';
import { type Counters, valuesAfterQuery } from '../../storage/dictionary.query';
import { DIMENSIONS, type StatName } from '../../storage/dimensions';
import type { Sums } from '../../storage/sums';
import { type Entry, Values } from '../../storage/values';
import type { Direction } from '../../validation/page-query';
import { type Check, pause } from '../questions/check';
import { arranged, weightsOf } from '../ranking';
import type { CountedEntry, Order } from '../snapshot';

const PIECE = 1000;
/** Two pieces as rows, as text and as what waits to be sent. */
const BYTES_OF_PIECES = 1024 * 1024;

/** Reads one piece in a snapshot of its own. */
export type ReadPart = <T>(work: (manager: EntityManager) => Promise<T>) => Promise<T>;

/** What an export keeps in memory: counts, perhaps those of another range, their weights, the order of the ids. */
export function bytesOfWhole({ counts }: Sums): number {
  return 4 * counts.byteLength + BYTES_OF_PIECES;
}

export class StatisticsChanged extends Problem {
  constructor() {
    super(503, 'statistics_changed', 'Expired statistics were removed meanwhile. Ask again.', {
      retryAfterSeconds: 1,
    });
  }
}

/**
 * All entries, in pieces. The sums are of one snapshot. What their ids stand for does not change within an epoch of the
 * dictionary, so each piece is a read of its own, and a slow client keeps no snapshot open.
 */
export class WholeBreakdown {
  private readonly counters: Counters;

  constructor(
    private readonly readPart: ReadPart,
    private readonly websiteId: number,
    private readonly name: StatName,
    private readonly sums: Sums,
    private readonly epoch: number,
    private readonly check: Check,
  ) {
    this.counters = { websiteId, name: DIMENSIONS[name].code };
  }

  /** Some of the pieces are empty. */
  async *inOrder({ by, direction }: Order): AsyncGenerator<CountedEntry[]> {
    let left = this.sums.ids().length;
    for await (const piece of by === 'value' ? this.byValue(direction) : this.byCount(direction)) {
      left -= piece.length;
      yield piece;
    }
    if (left > 0) throw new NotFound('Website');
  }

  private async *byValue(direction: Direction): AsyncGenerator<CountedEntry[]> {
    for await (const entries of this.dictionary(direction))
      yield entries.map(({ value_id, value }) => this.counted(value_id, value));
  }

  private async *byCount(direction: Direction): AsyncGenerator<CountedEntry[]> {
    const byValue = new Uint32Array(this.sums.ids().length);
    let size = 0;
    for await (const entries of this.dictionary('asc')) {
      for (const { value_id } of entries) byValue[size++] = value_id;
      // Others have their turn between two pieces.
      yield [];
    }
    const arranging = arranged(byValue.subarray(0, size), weightsOf(this.sums.counts, direction));
    const ids = await inSteps(arranging, () => pause(this.check));
    for (let from = 0; from < ids.length; from += PIECE) {
      const some = Array.from(ids.subarray(from, from + PIECE));
      const values = await this.read((manager) => new Values(manager, this.websiteId, this.name).of(some));
      yield some.filter((id) => values.has(id)).map((id) => this.counted(id, values.get(id)!));
    }
  }

  /** What was counted at all, in the order of the values. */
  private async *dictionary(direction: Direction): AsyncGenerator<Entry[]> {
    let entries: Entry[] = [];
    do {
      const after = entries.at(-1)?.value;
      entries = await this.read((manager) =>
        valuesAfterQuery(manager, this.counters, after, direction).limit(PIECE).getRawMany<Entry>(),
      );
      yield entries.filter(({ value_id }) => this.sums.counts[value_id]);
    } while (entries.length === PIECE);
  }

  /** A number may stand for another value once the dictionary's epoch was raised, so the export has to end there. */
  private read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    this.check();
    return this.readPart(async (manager) => {
      const { epoch } = await closedDays(manager, this.websiteId);
      if (epoch !== this.epoch) throw new StatisticsChanged();
      return work(manager);
    });
  }

  private counted(id: number, value: Buffer): CountedEntry {
    return { id, value: value.toString(), count: this.sums.counts[id]! };
  }
}
