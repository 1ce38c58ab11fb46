import { CollectedNames } from '../stats/collected-names';
import { EventBatchesService } from '../intake/event-batches.service';
import { QueriesService } from '../stats/queries/queries.service';
import { LiveService } from '../stats/live/live.service';
import { StatsService } from '../stats/stats.service';
import { WebsitesService } from '../websites/websites.service';
import { PageMetaView } from '../http/openapi/openapi';
import { Page, WithMeta } from '../http/answers/pagination';
import { HitQueriesView } from '../stats/dto/query.view';
import { ListValues, ValuesMetaView } from '../stats/dto/list-values.dto';
import { NameView } from '../stats/dto/name.view';
import { ShowStats } from '../stats/dto/show-stats.dto';
import { StatEntryView, StatsMetaView, StatSummaryView, SummaryMetaView } from '../stats/dto/stats.view';
import { SummariseStats } from '../stats/dto/summarise-stats.dto';
import { LiveMetaView, LiveView } from '../stats/live/live.view';
import { owner } from '../stats/viewers/viewer';
import { EventBatchDto, EventVerdictView } from '../tracking/dto/event-batch.dto';
import { NoFields } from '../validation/fields';
import { ListWebsites } from '../websites/dto/list-websites.dto';
import { StoreWebsite } from '../websites/dto/store-website.dto';
import { UpdateWebsite } from '../websites/dto/update-website.dto';
import { ChangeMetaView, DeletionView, WebsiteView } from '../websites/dto/website.view';
import { RESOURCE_USE_CASES, OF_WEBSITE } from './resources/resource-use-cases';
import { WEBHOOK_USE_CASES } from './resources/webhook-use-cases';
import { type UseCase, useCase } from './use-case';
import { FunnelQueriesService } from '../stats/queries/funnel/funnel-queries.service';
import { JourneyQueriesService } from '../stats/queries/journey/journey-queries.service';
import { FunnelMetaView, FunnelQueryView, FunnelResultView } from '../stats/dto/funnel.view';
import { JourneyMetaView, JourneyQueryView, JourneyView } from '../stats/dto/journey.view';
import { ReportNowService } from '../reports/report-now.service';
import { ReportRecipientsService } from '../reports/recipients/report-recipients.service';
import { ReportRecipientsView, SetReportRecipients } from '../reports/recipients/report-recipients.dto';
import { SentReportView } from '../reports/sent-report.view';

const REPORT_USE_CASES = {
  'report_recipients.show': useCase(ReportRecipientsService, {
    ...OF_WEBSITE,
    scope: 'read',
    summary: 'Show the recipients of reports',
    fields: NoFields,
    data: ReportRecipientsView,
    answer: (reportRecipients, { key, websiteId }) => reportRecipients.show(key.userId, websiteId),
  }),
  'report_recipients.set': useCase(ReportRecipientsService, {
    ...OF_WEBSITE,
    scope: 'full',
    summary: 'Set the recipients of reports',
    fields: SetReportRecipients,
    data: ReportRecipientsView,
    answer: (reportRecipients, { key, websiteId, fields }) =>
      reportRecipients.replace(key.userId, websiteId, fields),
  }),
  'reports.send': useCase(ReportNowService, {
    ...OF_WEBSITE,
    scope: 'full',
    summary: 'Send a report now',
    fields: NoFields,
    data: SentReportView,
    answer: (reportNow, { key, websiteId }) => reportNow.send(key.userId, websiteId),
  }),
};

const QUESTION = { scope: 'read', budget: 'statistics', id: 'website_id', keepsToWebsites: true } as const;

const WALK_USE_CASES = {
  'stats.funnel': useCase(FunnelQueriesService, {
    ...QUESTION,
    summary: 'Query a funnel',
    fields: FunnelQueryView,
    data: FunnelResultView,
    meta: FunnelMetaView,
    answer: async (funnelQueries, { key, websiteId, fields, caller }) => {
      const { data, meta } = await funnelQueries.answer(owner(key.userId), websiteId, fields, caller);
      return new WithMeta(data, meta);
    },
  }),
  'stats.journey': useCase(JourneyQueriesService, {
    ...QUESTION,
    summary: 'Query journeys',
    fields: JourneyQueryView,
    data: JourneyView,
    meta: JourneyMetaView,
    answer: async (journeyQueries, { key, websiteId, fields, caller }) => {
      const { data, meta } = await journeyQueries.answer(owner(key.userId), websiteId, fields, caller);
      return new WithMeta(data, meta);
    },
  }),
};

const CHANGED = { meta: ChangeMetaView, isMetaOptional: true } as const;

function withMeta(websites: WebsitesService, website: WebsiteView): WebsiteView | WithMeta<WebsiteView> {
  const meta = websites.changeMeta(website);
  return meta ? new WithMeta(website, meta) : website;
}

export { type UseCase, useCase } from './use-case';

/** The requests that callers can make without HTTP, with the same words. */
export const USE_CASES: Record<string, UseCase> = {
  'websites.list': useCase(WebsitesService, {
    summary: 'List websites',
    scope: 'read',
    budget: 'management',
    keepsToWebsites: true,
    fields: ListWebsites,
    data: [WebsiteView],
    meta: PageMetaView,
    pathOf: () => '/api/v1/websites',
    answer: async (websites, { key, fields }) =>
      new Page(await websites.page(key.userId, fields, key.websites), fields),
  }),
  'websites.show': useCase(WebsitesService, {
    summary: 'Show a website',
    scope: 'read',
    budget: 'management',
    id: 'id',
    keepsToWebsites: true,
    fields: NoFields,
    data: WebsiteView,
    answer: (websites, { key, websiteId }) => websites.show(key.userId, websiteId),
  }),
  'websites.store': useCase(WebsitesService, {
    summary: 'Create a website',
    scope: 'full',
    budget: 'management',
    keepsToWebsites: false,
    fields: StoreWebsite,
    data: WebsiteView,
    ...CHANGED,
    answer: async (websites, { key, fields, caller }) =>
      withMeta(websites, await websites.store(key.userId, fields, caller)),
  }),
  'websites.update': useCase(WebsitesService, {
    summary: 'Update a website',
    scope: 'full',
    budget: 'management',
    id: 'id',
    keepsToWebsites: true,
    fields: UpdateWebsite,
    data: WebsiteView,
    ...CHANGED,
    answer: async (websites, { key, websiteId, fields, caller }) =>
      withMeta(websites, await websites.update(key.userId, websiteId, fields, caller)),
  }),
  'websites.delete': useCase(WebsitesService, {
    summary: 'Delete a website',
    scope: 'full',
    budget: 'management',
    id: 'id',
    keepsToWebsites: false,
    fields: NoFields,
    data: DeletionView,
    answer: (websites, { key, websiteId }) => websites.delete(key.userId, websiteId),
  }),
  'stats.show': useCase(StatsService, {
    summary: 'Show statistics',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: ShowStats,
    data: [StatEntryView],
    meta: StatsMetaView,
    pathOf: (websiteId) => `/api/v1/stats/${websiteId}`,
    answer: async (stats, { key, websiteId, fields, caller }) => {
      const { result } = await stats.page(owner(key.userId), websiteId, fields, caller);
      return new Page(result!, fields, result!.meta);
    },
  }),
  'stats.summary': useCase(StatsService, {
    summary: 'Summarise statistics',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: SummariseStats,
    data: [StatSummaryView],
    meta: SummaryMetaView,
    answer: async (stats, { key, websiteId, fields, caller }) => {
      const { result } = await stats.summarise(owner(key.userId), websiteId, fields, caller);
      return new WithMeta(result!.summaries, result!.meta);
    },
  }),
  'stats.query': useCase(QueriesService, {
    summary: 'Query hits',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: HitQueriesView,
    data: 'answers',
    answer: async (hitQueries, { key, websiteId, fields, caller }) => {
      const answer = await hitQueries.query(owner(key.userId), websiteId, fields, caller);
      return Array.isArray(answer) ? answer : new WithMeta(answer.data, answer.meta);
    },
  }),
  'stats.live': useCase(LiveService, {
    summary: 'Show live visitors',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: NoFields,
    data: LiveView,
    meta: LiveMetaView,
    answer: async (live, { key, websiteId }) => {
      const { data, meta } = await live.live(owner(key.userId), websiteId);
      return new WithMeta(data, meta);
    },
  }),
  'stats.values': useCase(StatsService, {
    summary: 'List values of a name',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: ListValues,
    data: [StatEntryView],
    meta: ValuesMetaView,
    answer: async (stats, { key, websiteId, fields, caller }) => {
      const { values, meta } = await stats.values(owner(key.userId), websiteId, fields, caller);
      return new WithMeta(values, meta);
    },
  }),
  'names.list': useCase(CollectedNames, {
    summary: 'List names',
    scope: 'read',
    budget: 'management',
    keepsToWebsites: true,
    fields: NoFields,
    data: [NameView],
    answer: (names) => names.list(),
  }),
  'events.record': useCase(EventBatchesService, {
    summary: 'Send events of a website from a server',
    scope: 'events',
    budget: 'events',
    id: 'website_id',
    keepsToWebsites: true,
    fields: EventBatchDto,
    data: [EventVerdictView],
    answer: (eventBatches, { key, websiteId, fields }) =>
      eventBatches.accept(key.userId, websiteId, () => Promise.resolve(fields.events)),
  }),
  ...WALK_USE_CASES,
  ...RESOURCE_USE_CASES,
  ...REPORT_USE_CASES,
  ...WEBHOOK_USE_CASES,
};
