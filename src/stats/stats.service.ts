import { Injectable } from '@nestjs/common';
import { Page } from '../common/pagination';
import { dayText } from '../common/parsers';
import { InvalidFields } from '../common/problem';
import { Settings } from '../config/settings';
import { WebsitesService } from '../websites/websites.service';
import { DIMENSIONS } from './dimensions';
import type { ShowStats } from './dto/show-stats.dto';
import type { StatEntryView } from './dto/stats.view';
import { StatsRepository } from './stats.repository';

@Injectable()
export class StatsService {
  constructor(
    private readonly stats: StatsRepository,
    private readonly websites: WebsitesService,
    private readonly settings: Settings,
  ) {}

  async show(ownerId: number, websiteId: number, query: ShowStats): Promise<Page<StatEntryView>> {
    const { name, from, to } = query;
    if (from > to) throw new InvalidFields({ to: ['must not lie before from'] });
    await this.websites.show(ownerId, websiteId);
    const { label, counts } = DIMENSIONS[name];
    const { entries, total, sum, asOf } = await this.stats.slice(websiteId, query);
    const rows = entries.map(({ value, count }) => ({ value, label: label(value), count }));
    return new Page(rows, total, query, {
      website_id: websiteId,
      name,
      range: { from: dayText(from), to: dayText(to) },
      counts,
      timezone: this.settings.timezone,
      sum,
      as_of: asOf.toISOString(),
    });
  }
}
