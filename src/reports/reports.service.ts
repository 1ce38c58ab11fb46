import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { shownDomain } from '../../engine/ground/shown-domain';
import { DayClock } from '../../engine/ground/time/day-clock';
import { dayText } from '../../engine/ground/time/days';
import type { Caller } from '../../engine/ground/gate';
import { type Sender, Settings } from '../config/settings';
import { Secret } from '../database/secret';
import { publicAddress } from '../mail/addresses';
import { messageBytes, messageIdOf } from '../mail/message';
import { RecipientLinks } from '../recipients/recipient-links';
import { HitQueriesView, type QueryAnswerView, type QueryRow } from '../stats/dto/query.view';
import type { StatSummaryView } from '../stats/dto/stats.view';
import { QueriesService } from '../stats/queries/queries.service';
import { StatsService } from '../stats/stats.service';
import { owner } from '../stats/viewers/viewer';
import type { StatName } from '../../engine/hits/stat-names';
import { UsersService } from '../users/users.service';
import { day as dayIn } from '../../engine/ground/time/parsed';
import { Privacy } from '../websites/privacy/privacy';
import type { Website } from '../websites/website.entity';
import { htmlOf } from './mail/page';
import { reportText } from './mail/plain-text';
import { subjectOf } from './mail/words';
import { type Period, periodBefore } from './period';
import type { CountedValue, DayCounts, ForReader, Reader, Report } from './report';
import { UnsubscribeLinks } from './unsubscribe-links';

const NAMES = ['visitor', 'pageview', 'page', 'referrer', 'country', 'event'] as const satisfies StatName[];
/** Per list. */
const SHOWN = 5;
/** All reports that are mailed share one caller, which is not a user. */
const CALLER: Caller = { owner: 0 };

/** Creates reports and their messages. */
@Injectable()
export class ReportsService {
  private readonly clock: DayClock;
  private readonly key: Buffer;

  constructor(
    private readonly stats: StatsService,
    private readonly queries: QueriesService,
    private readonly users: UsersService,
    private readonly stopLinks: UnsubscribeLinks,
    private readonly recipientLinks: RecipientLinks,
    private readonly settings: Settings,
    secret: Secret,
  ) {
    this.clock = new DayClock(settings.timezone);
    this.key = secret.key('message ids');
  }

  async report(website: Website, period: Period, caller: Caller = CALLER): Promise<Report> {
    const { id, userId, domain } = website;
    const { summaries, asOf } = await this.summaries(userId, id, period, [...NAMES], caller);
    const before = periodBefore(period);
    const { summaries: previous } = await this.summaries(userId, id, before, ['visitor', 'pageview'], caller);
    const [visitors, pageviews, pages, referrers, countries, events] = summaries as Six<StatSummaryView>;
    return {
      language: (await this.users.show(userId)).language,
      domain: shownDomain(domain),
      period,
      timezone: this.settings.timezone,
      visitors: { count: visitors.sum, previous: previous[0]!.sum },
      pageviews: { count: pageviews.sum, previous: previous[1]!.sum },
      since: await this.sinceIn(website, before, previous[0]!, caller),
      ...(await this.ofHits(userId, id, period, caller)),
      days: daysOf(visitors, pageviews),
      pages: topOf(pages),
      referrers: topOf(referrers),
      countries: topOf(countries),
      events: topOf(events),
      asOf,
    };
  }

  /** Uncounted events delay a report during the first day only. */
  isBeingCounted({ period: { to }, asOf }: Report, now: number): boolean {
    return this.clock.dayOf(asOf) <= to && this.clock.dayOf(now) <= to + 1;
  }

  /** The mail as its owner gets it, without the link that stops the reports. */
  preview(website: Website, report: Report): string {
    return htmlOf(report, {
      isOwner: true,
      statistics: this.consoleOf(website, report.period),
      stop: '#',
    });
  }

  /** The complete message. */
  message(
    website: Website,
    report: Report,
    reader: Reader,
    from: Sender,
    messageId: string,
  ): Promise<Buffer> {
    const own = this.linksFor(website, report, reader);
    const content = {
      subject: subjectOf(report),
      messageId,
      text: reportText(report, own),
      html: htmlOf(report, own),
      unsubscribeLink: own.stop,
    };
    return messageBytes(content, from, reader.address);
  }

  /** Constant for all sendings of one mail, so that a mail program can merge duplicates. */
  messageId(sender: Sender, { id }: Website, { every, from }: Period, ...occasion: unknown[]): string {
    return this.messageIdFor(sender, id, every, dayText(from), ...occasion);
  }

  messageIdFor(sender: Sender, ...occasion: unknown[]): string {
    const name = createHmac('sha256', this.key).update(occasion.join(' ')).digest('hex');
    return messageIdOf(name.slice(0, 32), sender);
  }

  /** The owner gets a link to the console; others to the shared page, if there is one. */
  private linksFor(website: Website, { period }: Report, { address, isOwner }: Reader): ForReader {
    const { id: websiteId } = website;
    if (isOwner)
      return {
        isOwner,
        statistics: this.consoleOf(website, period),
        stop: this.stopLinks.of(websiteId),
      };
    const stop = this.recipientLinks.toUnsubscribe({ topic: 'reports', websiteId, address });
    return { isOwner, statistics: this.sharedPageOf(website, period), stop };
  }

  private consoleOf({ id }: Website, period: Period): string {
    return `${publicAddress(this.settings)}/?website=${id}&${rangeOf(period)}`;
  }

  private sharedPageOf({ domain, privacy }: Website, period: Period): string | undefined {
    const { baseUrl } = this.settings;
    if (baseUrl === undefined || privacy === Privacy.Private) return undefined;
    return `${baseUrl}/share/${encodeURIComponent(domain)}?${rangeOf(period)}`;
  }

  /** What only the hits of the days tell. */
  private async ofHits(
    ownerId: number,
    websiteId: number,
    period: Period,
    caller: Caller,
  ): Promise<Pick<Report, 'bounceRate' | 'goals'>> {
    const daysIn = ({ from, to }: Period) => ({ days: { from, to } });
    const queries = [
      { metrics: ['bounce_rate'], range: daysIn(period) },
      { metrics: ['bounce_rate'], range: daysIn(periodBefore(period)) },
      {
        metrics: ['conversions'],
        dimensions: ['goal'],
        range: daysIn(period),
        order_by: [['conversions', 'desc']],
      },
    ];
    const body = Object.assign(new HitQueriesView(), { queries });
    const answers = await this.queries.query(owner(ownerId), websiteId, body, caller);
    const [now, before, goals] = (answers as QueryAnswerView[]).map(rowsOf);
    const rateOf = (rows: QueryRow[]) => (rows[0]?.bounce_rate ?? undefined) as number | undefined;
    const counted = goals!.slice(0, SHOWN).map(({ goal, conversions }) => {
      const name = goal as string;
      return { value: name, label: name, count: Number(conversions) };
    });
    return { bounceRate: { rate: rateOf(now!), previous: rateOf(before!) }, goals: counted };
  }

  /** Undefined if the first day of a period has visitors, or an earlier one. */
  private async sinceIn(
    { id, userId }: Website,
    { from }: Period,
    { entries }: StatSummaryView,
    caller: Caller,
  ) {
    if (entries[0]!.count > 0) return undefined;
    const first = await this.stats.firstDay(owner(userId), id, caller);
    return first !== undefined && first > from ? first : undefined;
  }

  private async summaries(
    ownerId: number,
    websiteId: number,
    { from, to }: Period,
    names: StatName[],
    caller: Caller,
  ) {
    const query = { names, from, to, fill: true, per_page: 10 } as const;
    const { result } = await this.stats.summarise(owner(ownerId), websiteId, query, caller);
    return { summaries: result!.summaries, asOf: Date.parse(result!.meta.as_of) };
  }
}

/** None if the hits of some days are not kept: these would be numbers of other days than the rest of the report. */
function rowsOf({ data, meta }: QueryAnswerView): QueryRow[] {
  return meta.warnings?.some(({ code }) => code === 'kept_since') ? [] : data;
}

type Six<T> = [T, T, T, T, T, T];

function rangeOf({ from, to }: Period): string {
  return `range=custom&from=${dayText(from)}&to=${dayText(to)}`;
}

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
