import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access, CallerKey, KeepsToWebsites } from '../../auth/bearer.guard';
import type { ApiKey } from '../../auth/api-key.entity';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { dayText } from '../../../engine/ground/time/days';
import { Settings } from '../../config/settings';
import { Database } from '../../../engine/database/database';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import type { MailState } from '../../mail/mail-state';
import { UsersService } from '../../users/users.service';
import { Required, IsListOfIds } from '../../validation/rules';
import { websiteIdFor } from '../../websites/website-id';
import { WebsitesService } from '../../websites/websites.service';
import { DeliveriesRepository, type Delivery } from '../deliveries.repository';
import { periodAround, periodDue, type Rhythm } from '../period';
import { offReasonOf, type OffReason } from './off-reason';

class ShowReportStatus {
  @Required()
  @IsListOfIds(1)
  website!: number[];
}

interface NextReport {
  every: Rhythm;
  /** Sent in the morning of this day, if reports of the website are on. */
  on: string;
}

interface LastDelivery {
  state: MailState;
  recipient: string | null;
  reason: string | null;
  changed_at: string;
}

interface ReportStatusView {
  recipient: string;
  off: OffReason | null;
  next: NextReport | null;
  last: LastDelivery | null;
}

/** What the console says about the reports of a website. */
@ApiExcludeController()
@Controller('console/api/reports')
@UseInterceptors(EnvelopeInterceptor)
export class ReportStatusController {
  private readonly clock: DayClock;

  constructor(
    private readonly websites: WebsitesService,
    private readonly users: UsersService,
    private readonly deliveries: DeliveriesRepository,
    private readonly database: Database,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
  }

  @Get()
  @Access('read')
  @KeepsToWebsites()
  async show(@CallerKey() key: ApiKey, @Query() { website }: ShowReportStatus): Promise<ReportStatusView> {
    const { id } = await this.websites.show(key.userId, websiteIdFor(key, website[0]));
    const last = await this.deliveries.findLast(id);
    return {
      recipient: (await this.users.show(key.userId)).email,
      off: offReasonOf(this.settings) ?? null,
      next: await this.next(),
      last: last ? viewOf(last) : null,
    };
  }

  private async next(): Promise<NextReport | null> {
    const { reports } = this.settings;
    if (reports === 'off' || offReasonOf(this.settings)) return null;
    const due = periodDue(await this.database.now(), reports, this.clock);
    return { every: reports, on: dayText(periodAround(due.to + 1, reports).to + 1) };
  }
}

function viewOf({ state, recipient, reason, changedAt }: Delivery): LastDelivery {
  return { state, recipient, reason, changed_at: new Date(changedAt).toISOString() };
}
