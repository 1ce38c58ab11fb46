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
import { EventBatchDto, EventVerdictView } from '../tracking/dto/event.dto';
import { NoFields } from '../validation/fields';
import { ListWebsites } from '../websites/dto/list-websites.dto';
import { StoreWebsite } from '../websites/dto/store-website.dto';
import { UpdateWebsite } from '../websites/dto/update-website.dto';
import { DeletionView, WebsiteView } from '../websites/dto/website.view';
import { ALERT_USE_CASES } from './resources/alert-use-cases';
import { ANNOTATION_USE_CASES } from './resources/annotation-use-cases';
import { GOAL_USE_CASES } from './resources/goal-use-cases';
import { REPORT_USE_CASES } from './resources/report-use-cases';
import { WEBHOOK_USE_CASES } from './resources/webhook-use-cases';
import { type UseCase, useCase } from './use-case';
import { WALK_USE_CASES } from './walk-use-cases';

export { type Services, type UseCase, useCase } from './use-case';

/** The requests that callers can make without HTTP, with the same words. */
export const USE_CASES: Record<string, UseCase> = {
  'websites.list': useCase<ListWebsites>({
    summary: 'List websites',
    scope: 'read',
    budget: 'management',
    keepsToWebsites: true,
    fields: ListWebsites,
    data: [WebsiteView],
    meta: PageMetaView,
    pathOf: () => '/api/v1/websites',
    answer: async ({ websites }, { key, fields }) =>
      new Page(await websites.page(key.userId, fields, key.websites), fields),
  }),
  'websites.show': useCase<NoFields>({
    summary: 'Show a website',
    scope: 'read',
    budget: 'management',
    id: 'id',
    keepsToWebsites: true,
    fields: NoFields,
    data: WebsiteView,
    answer: ({ websites }, { key, websiteId }) => websites.show(key.userId, websiteId),
  }),
  'websites.store': useCase<StoreWebsite>({
    summary: 'Create a website',
    scope: 'full',
    budget: 'management',
    keepsToWebsites: false,
    fields: StoreWebsite,
    data: WebsiteView,
    answer: ({ websites }, { key, fields, caller }) => websites.store(key.userId, fields, caller),
  }),
  'websites.update': useCase<UpdateWebsite>({
    summary: 'Update a website',
    scope: 'full',
    budget: 'management',
    id: 'id',
    keepsToWebsites: true,
    fields: UpdateWebsite,
    data: WebsiteView,
    answer: ({ websites }, { key, websiteId, fields, caller }) =>
      websites.update(key.userId, websiteId, fields, caller),
  }),
  'websites.delete': useCase<NoFields>({
    summary: 'Delete a website',
    scope: 'full',
    budget: 'management',
    id: 'id',
    keepsToWebsites: false,
    fields: NoFields,
    data: DeletionView,
    answer: ({ websites }, { key, websiteId }) => websites.delete(key.userId, websiteId),
  }),
  'stats.show': useCase<ShowStats>({
    summary: 'Show statistics',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: ShowStats,
    data: [StatEntryView],
    meta: StatsMetaView,
    pathOf: (websiteId) => `/api/v1/stats/${websiteId}`,
    answer: async ({ stats }, { key, websiteId, fields, caller }) => {
      const { result } = await stats.page(owner(key.userId), websiteId, fields, caller);
      return new Page(result!, fields, result!.meta);
    },
  }),
  'stats.summary': useCase<SummariseStats>({
    summary: 'Summarise statistics',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: SummariseStats,
    data: [StatSummaryView],
    meta: SummaryMetaView,
    answer: async ({ stats }, { key, websiteId, fields, caller }) => {
      const { result } = await stats.summarise(owner(key.userId), websiteId, fields, caller);
      return new WithMeta(result!.summaries, result!.meta);
    },
  }),
  'stats.query': useCase<HitQueriesView>({
    summary: 'Query hits',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: HitQueriesView,
    data: 'answers',
    answer: async ({ hitQueries }, { key, websiteId, fields, caller }) => {
      const answer = await hitQueries.query(owner(key.userId), websiteId, fields, caller);
      return Array.isArray(answer) ? answer : new WithMeta(answer.data, answer.meta);
    },
  }),
  'stats.live': useCase<NoFields>({
    summary: 'Show live visitors',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: NoFields,
    data: LiveView,
    meta: LiveMetaView,
    answer: async ({ live }, { key, websiteId }) => {
      const { data, meta } = await live.live(owner(key.userId), websiteId);
      return new WithMeta(data, meta);
    },
  }),
  'stats.values': useCase<ListValues>({
    summary: 'List values of a name',
    scope: 'read',
    budget: 'statistics',
    id: 'website_id',
    keepsToWebsites: true,
    fields: ListValues,
    data: [StatEntryView],
    meta: ValuesMetaView,
    answer: async ({ stats }, { key, websiteId, fields, caller }) => {
      const { values, meta } = await stats.values(owner(key.userId), websiteId, fields, caller);
      return new WithMeta(values, meta);
    },
  }),
  'names.list': useCase<NoFields>({
    summary: 'List names',
    scope: 'read',
    budget: 'management',
    keepsToWebsites: true,
    fields: NoFields,
    data: [NameView],
    answer: ({ names }) => names.list(),
  }),
  'events.record': useCase<EventBatchDto>({
    summary: 'Send events of a website from a server',
    scope: 'events',
    budget: 'events',
    id: 'website_id',
    keepsToWebsites: true,
    fields: EventBatchDto,
    data: [EventVerdictView],
    answer: ({ eventBatches }, { key, websiteId, fields }) =>
      eventBatches.accept(key.userId, websiteId, () => Promise.resolve(fields.events)),
  }),
  ...WALK_USE_CASES,
  ...ALERT_USE_CASES,
  ...ANNOTATION_USE_CASES,
  ...GOAL_USE_CASES,
  ...REPORT_USE_CASES,
  ...WEBHOOK_USE_CASES,
};
