import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import { foldCase } from '../common/text';
import { DamagedCounters } from './damaged-counters';
import { type Counters, matchingQuery, valuesBetweenQuery, valuesQuery } from './dictionary.query';
import { DIMENSIONS, type StatName } from './dimensions';

const MAX_FETCHED = 1000;
/** SQLite holds the event loop while it looks through so many values. */
const MAX_SEARCHED = 5000;

export interface Entry {
  value_id: number;
  value: Buffer;
}

/** Counters have numbers for which the dictionary has no value. */
export class MissingValues extends DamagedCounters {
  constructor(websiteId: number, name: StatName) {
    super(`Values of ${name} are missing (website ${websiteId}).`);
  }
}

/** The values of one name of a website, by their ids. */
export class Values {
  private readonly counters: Counters;
  private readonly known = new Map<number, Buffer>();

  constructor(
    private readonly manager: EntityManager,
    websiteId: number,
    private readonly name: StatName,
  ) {
    this.counters = { websiteId, name: DIMENSIONS[name].code };
  }

  async of(ids: number[]): Promise<Map<number, Buffer>> {
    const unknown = ids.filter((id) => !this.known.has(id));
    for (let from = 0; from < unknown.length; from += MAX_FETCHED) {
      const some = unknown.slice(from, from + MAX_FETCHED);
      const rows = await valuesQuery(this.manager, this.counters, some).getRawMany<Entry>();
      for (const { value_id, value } of rows) this.known.set(value_id, value);
    }
    return this.known;
  }

  /** As `of`, where all of them were counted. */
  async all(ids: number[]): Promise<Map<number, Buffer>> {
    const values = await this.of(ids);
    if (!ids.every((id) => values.has(id))) throw new MissingValues(this.counters.websiteId, this.name);
    return values;
  }

  /** The ids below `end` whose value or label contains a case-folded text. */
  async matching(search: string, end: number, check: () => void): Promise<number[]> {
    const { label, labels } = DIMENSIONS[this.name];
    const found = new Set<number>();
    for (let from = 0; from < end; from += MAX_SEARCHED) {
      const ids = { from, to: from + MAX_SEARCHED - 1 };
      const query = matchingQuery(this.manager, this.counters, ids, search);
      for (const { value_id } of await query.getRawMany<{ value_id: number }>()) found.add(value_id);
      if (labels === 'in the code') {
        const entries = await valuesBetweenQuery(this.manager, this.counters, ids).getRawMany<Entry>();
        for (const { value_id, value } of entries)
          if (foldCase(label(value.toString())).includes(search)) found.add(value_id);
      }
      check();
      await yieldIfNeeded();
    }
    return [...found];
  }
}
