import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { shownDomain } from '../common/shown-domain';
import { dayText } from '../common/time/days';
import type { Caller } from '../common/gate';
import { type Sender, Settings } from '../config/settings';
import { Secret } from '../database/secret';
import { messageBytes, messageIdOf } from '../mail/message';
import type { StatSummaryView } from '../stats/dto/stats.view';
import { StatsService } from '../stats/stats.service';
import { owner } from '../stats/viewers/viewer';
import type { StatName } from '../storage/stat-names';
import { UsersService } from '../users/users.service';
import { day as dayIn } from '../validation/parsers';
import { Privacy } from '../websites/privacy/privacy';
import type { Website } from '../websites/website.entity';
import { htmlOf } from './mail/page';
import { reportText } from './mail/plain-text';
import { subjectOf } from './mail/words';
import { type Period, periodBefore } from './period';
import type { CountedValue, DayCounts, Report } from './report';
import { UnsubscribeLinks } from './unsubscribe-links';

const NAMES = ['visitor', 'pageview', 'page', 'referrer', 'country', 'event'] as const satisfies StatName[];
/** Per list. */
const SHOWN = 5;
/** All reports share one caller, which is not a user. */
const CALLER: Caller = { owner: 0 };

/** Creates reports and their messages. */
@Injectable()
export class ReportsService {
  private readonly key: Buffer;

  constructor(
    private readonly stats: StatsService,
    private readonly users: UsersService,
    private readonly links: UnsubscribeLinks,
    private readonly settings: Settings,
    secret: Secret,
  ) {
    this.key = secret.key('message ids');
  }

  async report(website: Website, period: Period): Promise<Report> {
    const { id, userId, domain } = website;
    const { summaries, asOf } = await this.summaries(userId, id, period, [...NAMES]);
    const before = periodBefore(period);
    const { summaries: previous } = await this.summaries(userId, id, before, ['visitor', 'pageview']);
    const [visitors, pageviews, pages, referrers, countries, events] = summaries as Six<StatSummaryView>;
    return {
      language: (await this.users.show(userId)).language,
      domain: shownDomain(domain),
      period,
      timezone: this.settings.timezone,
      visitors: { count: visitors.sum, previous: previous[0]!.sum },
      pageviews: { count: pageviews.sum, previous: previous[1]!.sum },
      since: await this.sinceIn(website, before, previous[0]!),
      days: daysOf(visitors, pageviews),
      pages: topOf(pages),
      referrers: topOf(referrers),
      countries: topOf(countries),
      events: topOf(events),
      page: this.pageOf(website, period),
      asOf,
    };
  }

  htmlOf(website: Website, report: Report): string {
    return htmlOf(report, this.links.of(website.id));
  }

  /** The complete message. */
  message(website: Website, report: Report, from: Sender, to: string, messageId: string): Promise<Buffer> {
    const unsubscribeLink = this.links.of(website.id);
    const content = {
      subject: subjectOf(report),
      messageId,
      text: reportText(report, unsubscribeLink),
      html: htmlOf(report, unsubscribeLink),
      unsubscribeLink,
    };
    return messageBytes(content, from, to);
  }

  /** Constant for all sendings of one report, so that a mail program can merge duplicates. */
  messageId({ id }: Website, { every, from }: Period, sender: Sender): string {
    const name = createHmac('sha256', this.key)
      .update(`${id} ${every} ${dayText(from)}`)
      .digest('hex');
    return messageIdOf(name.slice(0, 32), sender);
  }

  private pageOf({ domain, privacy }: Website, { from, to }: Period): string | undefined {
    const { baseUrl } = this.settings;
    if (baseUrl === undefined || privacy === Privacy.Private) return undefined;
    const range = `range=custom&from=${dayText(from)}&to=${dayText(to)}`;
    return `${baseUrl}/share/${encodeURIComponent(domain)}?${range}`;
  }

  /** Undefined if the first day of a period has visitors, or an earlier one. */
  private async sinceIn({ id, userId }: Website, { from }: Period, { entries }: StatSummaryView) {
    if (entries[0]!.count > 0) return undefined;
    const first = await this.stats.firstDay(owner(userId), id, CALLER);
    return first !== undefined && first > from ? first : undefined;
  }

  private async summaries(ownerId: number, websiteId: number, { from, to }: Period, names: StatName[]) {
    const query = { names, from, to, fill: true, per_page: 10 } as const;
    const { result } = await this.stats.summarise(owner(ownerId), websiteId, query, CALLER);
    return { summaries: result!.summaries, asOf: Date.parse(result!.meta.as_of) };
  }
}

type Six<T> = [T, T, T, T, T, T];

/** Both have an entry for each day. */
function daysOf(visitors: StatSummaryView, pageviews: StatSummaryView): DayCounts[] {
  return visitors.entries.map(({ value, count }, index) => ({
    day: dayIn(value),
    visitors: count,
    pageviews: pageviews.entries[index]!.count,
  }));
}

function topOf({ entries }: StatSummaryView): CountedValue[] {
  return entries.slice(0, SHOWN).map(({ value, label, count }) => ({ value, label, count }));
}
