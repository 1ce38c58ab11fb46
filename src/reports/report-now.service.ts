import { Injectable } from '@nestjs/common';
import { TooManyRequests } from '../../engine/ground/errors';
import { Conflict, NotFound } from '../common/problems';
import type { Caller } from '../../engine/ground/gate';
import { DayClock } from '../../engine/ground/time/day-clock';
import { dayText } from '../../engine/ground/time/days';
import { Settings } from '../config/settings';
import { EntityDatabase } from '../database/entity-database';
import { DayCounts, secondsOfDayAfter } from '../limits/day-counts';
import { addressOf } from '../recipients/recipients-field';
import { UsersService } from '../users/users.service';
import { lockWebsite } from '../websites/resources/resources.repository';
import { WebsitesRepository } from '../websites/websites.repository';
import { addWished } from './mails/new-report-mails';
import { type Period, periodDue } from './period';
import { readersOf } from './recipients/report-recipients.repository';
import type { SentReportView } from './sent-report.view';
import { ReportsService } from './reports.service';
import { OFF_TEXTS, offReasonOf } from './status/off-reason';

const MAX_SENT_BY_WEBSITE = 3;
/** A new website has its own count, and its owner's address is believed. */
const MAX_MAILS_BY_USER = 200;

/** Shows the report of the last period, and sends it without waiting for the next morning. */
@Injectable()
export class ReportNowService {
  private readonly clock: DayClock;

  constructor(
    private readonly reports: ReportsService,
    private readonly websites: WebsitesRepository,
    private readonly users: UsersService,
    private readonly counts: DayCounts,
    private readonly database: EntityDatabase,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
  }

  /** The mail to the owner as HTML. */
  async preview(ownerId: number, websiteId: number, caller: Caller): Promise<string> {
    const website = await this.websites.find(ownerId, websiteId);
    if (!website) throw new NotFound('Website');
    const period = this.periodAt(await this.database.now());
    return this.reports.preview(website, await this.reports.report(website, period, caller));
  }

  /** Adds a mail for the owner and for each address that confirmed. */
  async send(ownerId: number, websiteId: number): Promise<SentReportView> {
    const off = offReasonOf(this.settings);
    if (off !== undefined) throw new Conflict(`Reports are off: ${OFF_TEXTS[off]}.`);
    const [now, { email }] = await Promise.all([this.database.now(), this.users.show(ownerId)]);
    const period = this.periodAt(now);
    const ofOwner = addressOf(email);
    return this.database.write(async (manager) => {
      await lockWebsite(manager, ownerId, websiteId);
      const addresses = (await readersOf(manager, websiteId)).filter((address) => address !== ofOwner);
      const recipients = [...(ofOwner === undefined ? [] : [ofOwner]), ...addresses];
      if (recipients.length === 0)
        throw new Conflict(`No mail can be delivered to ${email}, and no other address has confirmed.`);
      const ofWebsite = `reports sent of website ${websiteId}`;
      const exceeded = await this.counts.take(manager, now, [
        { name: ofWebsite, wanted: 1, most: MAX_SENT_BY_WEBSITE },
        {
          name: `mails of reports sent by user ${ownerId}`,
          wanted: recipients.length,
          most: MAX_MAILS_BY_USER,
        },
      ]);
      if (exceeded.includes(ofWebsite)) throw new SentTooOften(now);
      if (exceeded.length > 0) throw new SentTooManyMails(now);
      const toOwner = ofOwner !== undefined;
      const mails = { websiteId, userId: ownerId, period, toOwner, addresses, now };
      await addWished(manager, this.database.dialect, mails);
      return { recipients, from: dayText(period.from), to: dayText(period.to) };
    });
  }

  /** The last one that is over. */
  private periodAt(now: number): Period {
    const { reports } = this.settings;
    return periodDue(now, reports === 'off' ? 'weekly' : reports, this.clock);
  }
}

class SentTooOften extends TooManyRequests {
  constructor(now: number) {
    super('The report of a website can be sent three times a day. Send it tomorrow.', secondsOfDayAfter(now));
  }
}

export class SentTooManyMails extends TooManyRequests {
  constructor(now: number) {
    super(
      `A user can send ${MAX_MAILS_BY_USER} mails of reports a day. Send it tomorrow.`,
      secondsOfDayAfter(now),
    );
  }
}
