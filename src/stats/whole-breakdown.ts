import { setImmediate as othersHaveTheirTurn } from 'node:timers/promises';
import type { Direction } from '../common/pagination';
import { NotFound } from '../common/problem';
import type { Database } from '../database/database';
import { type Counters, valuesAfterQuery } from './counters.query';
import { DIMENSIONS, type StatName } from './dimensions';
import { arranged, weightsOf } from './ranking';
import type { Counted, Order } from './snapshot';
import type { Sums } from './sums';
import { type Entry, Values } from './values';

const PIECE = 1000;

/**
 * All that was counted, piece by piece. The sums are of one moment; what their ids stand for never changes, so each
 * piece is a read of its own, and no snapshot is kept open for whoever takes long.
 */
export class WholeBreakdown {
  private readonly counters: Counters;

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly name: StatName,
    private readonly sums: Sums,
  ) {
    this.counters = { websiteId, name: DIMENSIONS[name].code };
  }

  async *inOrder({ by, direction }: Order): AsyncGenerator<Counted[]> {
    let left = this.sums.ids().length;
    for await (const piece of by === 'value' ? this.byValue(direction) : this.byCount(direction)) {
      left -= piece.length;
      yield piece;
    }
    if (left > 0) throw new NotFound('website');
  }

  private async *byValue(direction: Direction): AsyncGenerator<Counted[]> {
    for await (const entries of this.dictionary(direction))
      yield entries.map(({ value_id, value }) => this.counted(value_id, value));
  }

  private async *byCount(direction: Direction): AsyncGenerator<Counted[]> {
    const ids = arranged(await this.idsByValue(), weightsOf(this.sums.counts, direction));
    for (let from = 0; from < ids.length; from += PIECE) {
      const some = Array.from(ids.subarray(from, from + PIECE));
      const values = await this.database.look((manager) =>
        new Values(manager, this.websiteId, this.name).of(some),
      );
      yield some.filter((id) => values.has(id)).map((id) => this.counted(id, values.get(id)!));
    }
  }

  private async idsByValue(): Promise<Uint32Array> {
    const ids = new Uint32Array(this.sums.ids().length);
    let size = 0;
    for await (const entries of this.dictionary('asc')) {
      for (const { value_id } of entries) ids[size++] = value_id;
      await othersHaveTheirTurn();
    }
    return ids.subarray(0, size);
  }

  /** What was counted at all, in the order of the values. */
  private async *dictionary(direction: Direction): AsyncGenerator<Entry[]> {
    let entries: Entry[] = [];
    do {
      const after = entries.at(-1)?.value;
      entries = await this.database.look((manager) =>
        valuesAfterQuery(manager, this.counters, after, direction).limit(PIECE).getRawMany<Entry>(),
      );
      yield entries.filter(({ value_id }) => this.sums.counts[value_id]);
    } while (entries.length === PIECE);
  }

  private counted(id: number, value: Buffer): Counted {
    return { id, value: value.toString(), count: this.sums.counts[id]! };
  }
}
