import type { Type } from '@nestjs/common';
import type { AlertsService } from '../alerts/alert/alerts.service';
import type { FiringsService } from '../alerts/firings/firings.service';
import type { AnnotationsService } from '../annotations/annotations.service';
import type { ApiKey, Scope } from '../auth/api-key.entity';
import type { Caller } from '../../engine/ground/gate';
import type { Missing } from '../common/problem';
import type { BudgetName } from '../config/rate-limits';
import type { FunnelsService } from '../goals/funnels/funnels.service';
import type { GoalsService } from '../goals/goals/goals.service';
import type { SavedFiltersService } from '../goals/saved-filters/saved-filters.service';
import type { EventBatchesService } from '../intake/event-batches.service';
import type { ReportRecipientsService } from '../reports/recipients/report-recipients.service';
import type { ReportNowService } from '../reports/report-now.service';
import type { CollectedNames } from '../stats/collected-names';
import type { LiveService } from '../stats/live/live.service';
import type { FunnelQueriesService } from '../stats/queries/funnel/funnel-queries.service';
import type { JourneyQueriesService } from '../stats/queries/journey/journey-queries.service';
import type { QueriesService } from '../stats/queries/queries.service';
import type { StatsService } from '../stats/stats.service';
import type { DeliveriesService } from '../webhooks/deliveries/deliveries.service';
import type { WebhooksService } from '../webhooks/webhooks.service';
import type { WebsitesService } from '../websites/websites.service';

export interface Services {
  websites: WebsitesService;
  stats: StatsService;
  hitQueries: QueriesService;
  live: LiveService;
  names: CollectedNames;
  eventBatches: EventBatchesService;
  alerts: AlertsService;
  firings: FiringsService;
  reportRecipients: ReportRecipientsService;
  reportNow: ReportNowService;
  annotations: AnnotationsService;
  goals: GoalsService;
  savedFilters: SavedFiltersService;
  funnels: FunnelsService;
  funnelQueries: FunnelQueriesService;
  journeyQueries: JourneyQueriesService;
  webhooks: WebhooksService;
  deliveries: DeliveriesService;
}

/** A message of a caller with permission. */
interface Request<F> {
  key: ApiKey;
  caller: Caller;
  /** The website of the message; 0 if it has none. */
  websiteId: number;
  /** The id of the resource that the message is about; 0 if it is about none. */
  resourceId: number;
  fields: F;
}

export interface UseCase<F = object> {
  summary: string;
  scope: Scope;
  budget: BudgetName;
  /** The name of the field with the website's id, if the message is about one website. */
  id?: 'id' | 'website_id';
  /** The kind of the resource in the field `id`, if the message is about one. */
  resource?: Missing;
  /** Whether a key that is limited to websites sees no others. */
  keepsToWebsites: boolean;
  /** The rules of the other fields. */
  fields: Type<F>;
  /** The schema of `data`, one or many, and of `meta`. Answers to queries contain both. */
  data: Type | [Type] | 'answers';
  meta?: Type;
  /** The path of the same request over HTTP, for the meta of a page. */
  pathOf?: (websiteId: number, resourceId: number) => string;
  answer: (services: Services, requested: Request<F>) => Promise<unknown>;
}

/** Binds the type of the fields to the rest of the row. */
export function useCase<F extends object>(row: UseCase<F>): UseCase {
  return row as unknown as UseCase;
}
