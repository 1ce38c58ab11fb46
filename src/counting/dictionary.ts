import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { fold } from '../common/parsers';
import { DIMENSIONS, type StatName } from '../stats/dimensions';
import { inChunks, insertRows } from '../database/rows';

const MOST_VALUES = 1_000_000;
export const OTHER = '(other)';
const MOST_CACHED = 200_000;

/** The numbers of one website's values. What it remembers holds only while nobody else could count the website. */
export class Dictionary {
  private readonly known = new Map<string, number>();
  private readonly last = new Map<StatName, number>();
  private learnt: [string, number][] = [];
  private raised = new Map<StatName, number>();

  constructor(private readonly websiteId: number) {}

  /** Forgets what a transaction learnt that came to nothing. */
  begin(): void {
    this.learnt = [];
    this.raised = new Map();
  }

  /** Gives every value a number, a new one where it has none. */
  async learn(manager: EntityManager, name: StatName, values: string[]): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    const unknown = values.filter((value) => {
      const id = this.known.get(keyOf(name, value));
      if (id !== undefined) ids.set(value, id);
      return id === undefined;
    });
    await this.look(manager, name, unknown, ids);
    await this.add(
      manager,
      name,
      unknown.filter((value) => !ids.has(value)),
      ids,
    );
    return ids;
  }

  /** What was learnt in a transaction may be remembered once it is committed. */
  remember(): void {
    if (this.known.size > MOST_CACHED) this.known.clear();
    for (const [key, id] of this.learnt) this.known.set(key, id);
    for (const [name, last] of this.raised) this.last.set(name, last);
    this.begin();
  }

  private async look(manager: EntityManager, name: StatName, values: string[], ids: Map<string, number>) {
    const byHash = new Map(values.map((value) => [hashOf(value).toString('hex'), value]));
    for (const hashes of inChunks([...byHash.keys()], 500)) {
      const rows = await manager.query<{ value_id: number; hash: Buffer }[]>(
        `SELECT value_id, hash FROM stat_values WHERE website_id = ? AND name = ?
        AND hash IN (${hashes.map(() => '?').join(', ')})`,
        [this.websiteId, DIMENSIONS[name].code, ...hashes.map((hash) => Buffer.from(hash, 'hex'))],
      );
      for (const { value_id, hash } of rows)
        this.found(name, byHash.get(hash.toString('hex'))!, value_id, ids);
    }
  }

  private async add(manager: EntityManager, name: StatName, values: string[], ids: Map<string, number>) {
    if (values.length === 0) return;
    let last = this.raised.get(name) ?? this.last.get(name) ?? (await this.lastId(manager, name));
    const added: string[] = [];
    for (const value of values) {
      if (last >= MOST_VALUES && value !== OTHER) continue;
      this.found(name, value, ++last, ids);
      added.push(value);
    }
    this.raised.set(name, last);
    await insertRows(
      manager,
      'stat_values',
      VALUE_COLUMNS,
      added.map((value) => this.row(name, value, ids.get(value)!)),
    );
    if (added.length < values.length) await this.mergeIntoOther(manager, name, values, ids);
  }

  private async mergeIntoOther(
    manager: EntityManager,
    name: StatName,
    values: string[],
    ids: Map<string, number>,
  ) {
    const other = (await this.learn(manager, name, [OTHER])).get(OTHER)!;
    for (const value of values) if (!ids.has(value)) ids.set(value, other);
  }

  private found(name: StatName, value: string, id: number, ids: Map<string, number>): void {
    ids.set(value, id);
    this.learnt.push([keyOf(name, value), id]);
  }

  private async lastId(manager: EntityManager, name: StatName): Promise<number> {
    const [row] = await manager.query<{ last: number | null }[]>(
      'SELECT MAX(value_id) AS last FROM stat_values WHERE website_id = ? AND name = ?',
      [this.websiteId, DIMENSIONS[name].code],
    );
    return row?.last ?? 0;
  }

  private row(name: StatName, value: string, id: number): unknown[] {
    const { code, label, labels } = DIMENSIONS[name];
    const foldedLabel = labels === 'in the dictionary' ? fold(label(value)) : null;
    const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
    return [this.websiteId, code, id, hashOf(value), bytes(value), bytes(fold(value)), bytes(foldedLabel)];
  }
}

const VALUE_COLUMNS = ['website_id', 'name', 'value_id', 'hash', 'value', 'folded', 'folded_label'];

function keyOf(name: StatName, value: string): string {
  return `${name} ${value}`;
}

function hashOf(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
