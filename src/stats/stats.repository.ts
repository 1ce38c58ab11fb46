import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { offsetOf } from '../common/pagination';
import { fold } from '../common/parsers';
import { Database } from '../database/database';
import { type Breakdown, entriesQuery, totalsQuery, valuesQuery } from './breakdown.query';
import { DIMENSIONS } from './dimensions';
import type { ShowStats } from './dto/show-stats.dto';

export interface StatsSlice {
  entries: { value: string; count: number }[];
  total: number;
  sum: number;
  asOf: Date;
}

@Injectable()
export class StatsRepository {
  constructor(private readonly database: Database) {}

  /** One page of a website's statistics; whose website it is was checked before. */
  async slice(websiteId: number, query: ShowStats): Promise<StatsSlice> {
    const beforeSnapshot = await this.database.now();
    return this.database.read(async (manager) => {
      const asOf = await oldestWaiting(manager, websiteId);
      const breakdown = await breakdownOf(manager, websiteId, query);
      const { total, sum } = await totals(manager, breakdown);
      const entries = offsetOf(query) < total ? await page(manager, breakdown, query) : [];
      return { entries, total, sum, asOf: new Date(asOf ?? beforeSnapshot) };
    });
  }
}

/** What waits in the inbox is not counted yet. */
async function oldestWaiting(manager: EntityManager, websiteId: number): Promise<number | null> {
  const [row] = await manager.query<{ oldest: number | null }[]>(
    'SELECT MIN(accepted_at) AS oldest FROM inbox WHERE website_id = ?',
    [websiteId],
  );
  return row!.oldest;
}

async function breakdownOf(manager: EntityManager, websiteId: number, query: ShowStats): Promise<Breakdown> {
  const { name, from, to, search } = query;
  const { code, label, labels } = DIMENSIONS[name];
  const breakdown = { websiteId, name: code, from, to, search, alsoMatching: [] as number[] };
  if (search === undefined || labels !== 'in the code') return breakdown;
  const values = await valuesQuery(manager, websiteId, code).getRawMany<{
    value_id: number;
    value: Buffer;
  }>();
  const matching = values.filter(({ value }) => fold(label(value.toString())).includes(search));
  return { ...breakdown, alsoMatching: matching.map(({ value_id }) => value_id) };
}

async function totals(manager: EntityManager, breakdown: Breakdown): Promise<{ total: number; sum: number }> {
  const row = await totalsQuery(manager, breakdown).getRawOne<{ total: unknown; sum: unknown }>();
  return { total: Number(row?.total ?? 0), sum: Number(row?.sum ?? 0) };
}

async function page(manager: EntityManager, breakdown: Breakdown, query: ShowStats) {
  const rows = await entriesQuery(manager, breakdown, {
    by: query.sort_by,
    direction: query.sort === 'asc' ? 'ASC' : 'DESC',
  })
    .offset(offsetOf(query))
    .limit(query.per_page)
    .getRawMany<{ value: Buffer; hits: number | string }>();
  return rows.map(({ value, hits }) => ({ value: value.toString(), count: Number(hits) }));
}
