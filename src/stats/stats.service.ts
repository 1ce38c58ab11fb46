import { Injectable } from '@nestjs/common';
import { offsetOf, Page } from '../common/pagination';
import { dayText } from '../common/parsers';
import { InvalidFields } from '../common/problem';
import { Settings } from '../config/settings';
import { DIMENSIONS } from './dimensions';
import type { ShowStats } from './dto/show-stats.dto';
import type { StatEntryView } from './dto/stats.view';
import { StatsRepository } from './stats.repository';

@Injectable()
export class StatsService {
  constructor(
    private readonly stats: StatsRepository,
    private readonly settings: Settings,
  ) {}

  async show(ownerId: number, websiteId: number, query: ShowStats): Promise<Page<StatEntryView>> {
    const { name, from, to, search, sort_by, sort } = query;
    if (from > to) throw new InvalidFields({ to: ['must not lie before from'] });
    const { label, counts } = DIMENSIONS[name];
    const selection = { name, range: { from, to }, search };
    const { result, asOf } = await this.stats.at(ownerId, websiteId, async (snapshot) => {
      const sums = await snapshot.sums(selection);
      const ids = sums.ids();
      const order = { by: sort_by, direction: sort };
      const entries = await snapshot.page(selection, sums, ids, order, offsetOf(query), query.per_page);
      return { entries, total: ids.length, sum: sums.total() };
    });
    const rows = result.entries.map(({ value, count }) => ({ value, label: label(value), count }));
    return new Page(rows, result.total, query, {
      website_id: websiteId,
      name,
      range: { from: dayText(from), to: dayText(to) },
      counts,
      timezone: this.settings.timezone,
      sum: result.sum,
      as_of: asOf.toISOString(),
    });
  }
}
